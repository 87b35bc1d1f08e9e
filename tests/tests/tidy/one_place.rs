//! What belongs to one place stays there: the record encoding and the embedded store's driver.

use super::offence::{Offence, assert_none};
use super::source::{Source, rust};
use super::tokens::{find_all, tokens};

const CODEC_FILE: &str = "runtime/core/src/codec.rs";
const CODEC_FOLDER: &str = "runtime/core/src/codec/";
const SLED_FOLDER: &str = "runtime/store-sled/";

/// The line on which a file's code first names bincode, if it does.
fn names_bincode(file: &Source) -> Option<usize> {
    tokens(&file.text).into_iter().find(|token| token.text == "bincode").map(|token| token.line)
}

/// Files that name bincode: only the codec may, in one file.
fn bincode_elsewhere(files: &[Source]) -> Vec<Offence> {
    let naming = files.iter().filter_map(|file| names_bincode(file).map(|line| (file, line)));
    let (codec, others) = naming
        .partition::<Vec<_>, _>(|(file, _)| file.path == CODEC_FILE || file.path.starts_with(CODEC_FOLDER));
    let what = "bincode is named outside its one file in the core's codec";
    let wrong = others.into_iter().chain(codec.into_iter().skip(1));
    let offence = |(file, line): (&Source, usize)| {
        Offence::at(
            &file.path,
            line,
            what,
            "go through the core's codec: it alone knows limits, checks and kinds",
        )
    };
    wrong.map(offence).collect()
}

/// Where a file outside the store names sled's own items.
fn sled_elsewhere(file: &Source) -> Vec<Offence> {
    if file.path.starts_with(SLED_FOLDER) {
        return Vec::new();
    }
    let tokens = tokens(&file.text);
    let is_ours = |at: &usize| *at > 0 && tokens[at - 1].text == "::";
    let paths = find_all(&tokens, &["sled", "::"]).into_iter().filter(|at| !is_ours(at));
    let places = paths.chain(find_all(&tokens, &["use", "sled", ";"]));
    let instead = "go through the store contract: only runtime/store-sled knows the driver";
    places.map(|at| Offence::at(&file.path, tokens[at].line, "sled is named here", instead)).collect()
}

#[test]
fn bincode_is_named_in_one_file() {
    assert_none(&bincode_elsewhere(&rust()));
}

#[test]
fn sled_is_named_in_its_store_only() {
    assert_none(&rust().iter().flat_map(sled_elsewhere).collect::<Vec<_>>());
}

#[test]
fn bincode_elsewhere_or_twice_is_refused() {
    let code = "let bytes = bincode::serde::encode_to_vec(x, y);";
    let files = |paths: &[&str]| paths.iter().map(|path| Source::new(path, code)).collect::<Vec<_>>();
    assert!(bincode_elsewhere(&files(&["runtime/core/src/codec.rs"])).is_empty());
    assert_eq!(
        bincode_elsewhere(&files(&["runtime/core/src/codec/a.rs", "runtime/core/src/codec/b.rs"])).len(),
        1
    );
    assert_eq!(bincode_elsewhere(&files(&["runtime/store-sled/src/open.rs"])).len(), 1);
    assert!(bincode_elsewhere(&[Source::new("a.rs", "// bincode\nlet encoding = \"bincode\";")]).is_empty());
}

#[test]
fn sled_elsewhere_is_refused() {
    let lines = |path: &str, text: &str| sled_elsewhere(&Source::new(path, text)).len();
    assert_eq!(lines("runtime/engine/src/a.rs", "fn f(db: &sled::Db) {}"), 1);
    assert_eq!(lines("runtime/engine/src/a.rs", "use sled;\nuse sled::Db;"), 2);
    assert_eq!(lines("runtime/store-sled/src/open.rs", "use sled::Db;"), 0);
    assert_eq!(
        lines("sdk/src/engine.rs", "use steadfast_store_sled::Sled; use crate::sled::x; // sled::Db"),
        0
    );
    assert_eq!(lines("sdk/src/engine.rs", "#[cfg(feature = \"sled\")] let scheme = \"sled:\";"), 0);
}
