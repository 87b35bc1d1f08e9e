//! Files stay small enough to be read at one go. Functions are measured by clippy.

use super::offence::{Offence, assert_none};
use super::source::{Source, rust};

const LINES_MAX: usize = 500;
const LINES_WORTH_A_LOOK: usize = 350;

fn line_count(file: &Source) -> usize {
    file.text.lines().count()
}

/// The file, if it is too long.
fn too_long(file: &Source) -> Option<Offence> {
    let count = line_count(file);
    let what = format!("{count} lines, the limit is {LINES_MAX}");
    let instead =
        "split it by topic: a file for each variant, `impl` blocks by topic, conversions apart, tests beside";
    (count > LINES_MAX).then(|| Offence::of_file(&file.path, what, instead))
}

#[test]
fn no_file_is_too_long() {
    let files = rust();
    let offences = files.iter().filter_map(too_long).collect::<Vec<_>>();
    assert_none(&offences);
    let mut long = files.iter().map(|file| (line_count(file), &file.path)).collect::<Vec<_>>();
    long.retain(|(count, _)| *count > LINES_WORTH_A_LOOK);
    long.sort_unstable_by(|one, other| other.cmp(one));
    println!("{} file(s) of over {LINES_WORTH_A_LOOK} lines, worth a second look:", long.len());
    for (count, path) in long {
        println!("{count:>5} {path}");
    }
}

#[test]
fn a_file_over_the_limit_is_refused() {
    assert!(too_long(&Source::new("a.rs", &"\n".repeat(LINES_MAX))).is_none());
    assert!(too_long(&Source::new("a.rs", &"\n".repeat(LINES_MAX + 1))).is_some());
}
