//! Words and paths that no text file may hold.

use super::offence::{Offence, assert_none};
use super::source::{Source, all};

/// Written by cargo, with addresses that it chooses.
const GENERATED: &[&str] = &["Cargo.lock"];

const MACHINE_FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];
const NEIGHBOUR: &str = concat!("../sh", "ared");
const UNFINISHED_WORDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME")];
const UNFINISHED_CODE: &[&str] =
    &[concat!("to", "do!("), concat!("unimpl", "emented!("), concat!("#[ig", "nore")];
const REGISTRY_HOSTS: &[&str] = &[
    concat!("index.cr", "ates.io"),
    concat!("static.cr", "ates.io"),
    concat!("//cr", "ates.io"),
    concat!("cr", "ates.io-index"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.np", "mjs.org"),
    concat!("registry.ya", "rnpkg.com"),
    concat!("proxy.gol", "ang.org"),
    concat!("deb.deb", "ian.org"),
    concat!("archive.ubu", "ntu.com"),
    concat!("repo.ma", "ven.apache.org"),
];

/// What one file says that no file may.
fn banned(file: &Source) -> Vec<Offence> {
    let lines = file.text.lines().enumerate();
    lines.flat_map(|(index, line)| banned_in_line(&file.path, index + 1, line)).collect()
}

fn banned_in_line(path: &str, number: usize, line: &str) -> Vec<Offence> {
    let mut found = Vec::new();
    let mut refuse = |what: &str, instead: &str| found.push(Offence::at(path, number, what, instead));
    if MACHINE_FOLDERS.iter().any(|folder| has_absolute(line, folder)) {
        refuse("a path of one machine", "name files from the root of the repository");
    }
    if line.contains(NEIGHBOUR) {
        refuse("a path outside the repository", "say it in the repository's own docs");
    }
    if let Some(host) = REGISTRY_HOSTS.iter().find(|host| line.contains(**host)) {
        refuse(&format!("`{host}` is the host of a registry"), "name the package: its client knows the host");
    }
    if let Some(word) = UNFINISHED_WORDS.iter().find(|word| has_word(line, word)) {
        refuse(&format!("`{word}`"), "do it, or file it where work is tracked");
    }
    if let Some(code) = UNFINISHED_CODE.iter().find(|code| has_code(line, code)) {
        refuse(&format!("`{code}`"), "finish the code; a test that cannot run here says so by name");
    }
    found
}

/// Whether `folder` stands in the line as the beginning of a path.
fn has_absolute(line: &str, folder: &str) -> bool {
    let mut starts = line.match_indices(folder).map(|(at, _)| line[..at].chars().next_back());
    starts.any(|before| !before.is_some_and(|before| before.is_alphanumeric() || "._-~$}*>".contains(before)))
}

/// Whether `word` stands in the line by itself.
fn has_word(line: &str, word: &str) -> bool {
    let is_inner =
        |neighbour: Option<char>| neighbour.is_some_and(|next| next.is_alphanumeric() || next == '_');
    line.match_indices(word).any(|(at, _)| {
        !is_inner(line[..at].chars().next_back()) && !is_inner(line[at + word.len()..].chars().next())
    })
}

/// Whether `code` stands in the line and is not the end of a longer name.
fn has_code(line: &str, code: &str) -> bool {
    let mut starts = line.match_indices(code).map(|(at, _)| line[..at].chars().next_back());
    starts.any(|before| !before.is_some_and(|before| before.is_alphanumeric() || before == '_'))
}

#[test]
fn no_file_holds_a_banned_word_or_path() {
    let files = all();
    let ours = files.iter().filter(|file| !GENERATED.contains(&file.path.as_str()));
    assert_none(&ours.flat_map(banned).collect::<Vec<_>>());
}

fn lines(text: &str) -> Vec<usize> {
    banned(&Source::new("a.md", text)).into_iter().filter_map(|offence| offence.line).collect()
}

#[test]
fn everything_banned_is_refused() {
    let words = [MACHINE_FOLDERS, UNFINISHED_WORDS, UNFINISHED_CODE, REGISTRY_HOSTS].concat();
    for word in words.into_iter().chain([NEIGHBOUR]) {
        assert_eq!(lines(&format!("first\nsee {word} here\n")), [2], "{word}");
        assert_eq!(lines(&format!("\"{word}\"")), [1], "{word}");
    }
}

#[test]
fn a_host_within_an_address_is_refused() {
    for host in REGISTRY_HOSTS {
        assert_eq!(
            lines(&format!("https:{}{host}/x", if host.starts_with("//") { "" } else { "//" })),
            [1],
            "{host}"
        );
    }
}

#[test]
fn like_words_are_not() {
    let [folder, word, code] = [MACHINE_FOLDERS[0], UNFINISHED_WORDS[0], UNFINISHED_CODE[0]];
    for text in [
        format!("home{folder}x"),
        format!("..{folder}x"),
        format!("A{word}S"),
        format!("{word}_LIST"),
        format!("my_{code})"),
    ] {
        assert!(lines(&text).is_empty(), "{text}");
    }
}
