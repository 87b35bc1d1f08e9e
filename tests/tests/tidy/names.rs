//! Names of files say what is in them, and the entry files of modules hold no logic.

use super::offence::{Offence, assert_none};
use super::source::{Source, rust};
use super::tokens::{Token, tokens};

const SAYS_NOTHING: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];
const ENTRY_FILES: &[&str] = &["lib.rs", "mod.rs"];

/// The file, if its name or that of its module says nothing about its contents.
fn empty_name(file: &Source) -> Option<Offence> {
    let mut parts = file.path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
    let name = parts.find(|part| SAYS_NOTHING.contains(part))?;
    let what = format!("`{name}` says nothing about what is inside");
    Some(Offence::of_file(
        &file.path,
        what,
        "name it after its one idea, or move each part to where it belongs",
    ))
}

/// Functions with a body in an entry file; a procedural macro must be declared there, so its entry is let through.
fn logic(file: &Source) -> Vec<Offence> {
    if !ENTRY_FILES.contains(&file.file_name()) {
        return Vec::new();
    }
    let tokens = tokens(&file.text);
    let starts = bodies(&tokens).into_iter().filter(|at| !is_macro_entry(&tokens[..*at]));
    let offence = |at: usize| {
        let what = format!("`fn {}` has a body here", tokens[at + 1].text);
        Offence::at(
            &file.path,
            tokens[at].line,
            what,
            "an entry file holds docs, `mod` and `pub use`: move it to a module",
        )
    };
    starts.map(offence).collect()
}

/// Where each `fn` with a body stands, but for those that a `macro_rules!` writes.
fn bodies(tokens: &[Token]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "macro_rules" => at = end_of_braces(tokens, at),
            "fn" if has_body(&tokens[at..]) => {
                found.push(at);
                at += 1;
            }
            _ => at += 1,
        }
    }
    found
}

/// The index behind the first pair of braces from `at` on.
fn end_of_braces(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return index + 1,
            "}" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// `fn name … {` has one; `fn name …;` has none, and `fn(` is a type.
fn has_body(from_fn: &[Token]) -> bool {
    let is_named = from_fn.get(1).is_some_and(|token| token.text != "(");
    let end = from_fn.iter().find(|token| token.text == "{" || token.text == ";");
    is_named && end.is_some_and(|token| token.text == "{")
}

/// Whether the item that these tokens lead to is marked as a procedural macro.
fn is_macro_entry(before: &[Token]) -> bool {
    let item = before.iter().rev().take_while(|token| token.text != "}" && token.text != ";");
    item.into_iter().any(|token| token.text.starts_with("proc_macro"))
}

#[test]
fn file_names_say_what_is_inside() {
    assert_none(&rust().iter().filter_map(empty_name).collect::<Vec<_>>());
}

#[test]
fn entry_files_hold_no_logic() {
    assert_none(&rust().iter().flat_map(logic).collect::<Vec<_>>());
}

#[test]
fn a_name_that_says_nothing_is_refused() {
    for path in
        ["a/src/utils.rs", "a/src/helpers.rs", "a/src/common.rs", "a/src/misc.rs", "a/tests/common/mod.rs"]
    {
        assert!(empty_name(&Source::new(path, "")).is_some(), "{path}");
    }
    assert!(empty_name(&Source::new("a/src/timer.rs", "")).is_none());
}

fn logic_in(path: &str, text: &str) -> Vec<Option<usize>> {
    logic(&Source::new(path, text)).into_iter().map(|offence| offence.line).collect()
}

#[test]
fn a_body_in_an_entry_file_is_refused() {
    assert_eq!(logic_in("a/src/lib.rs", "mod b;\npub fn f() -> u8 { 1 }"), [Some(2)]);
    assert_eq!(logic_in("a/src/b/mod.rs", "impl B {\n const fn f<T>(self) where T: U { }\n}"), [Some(2)]);
    assert_eq!(logic_in("a/src/lib.rs", "#[proc_macro]\npub fn f() {}\nfn g() {}"), [Some(3)]);
}

#[test]
fn what_an_entry_file_may_hold_is_let_through() {
    let text = "//! fn f() {}\nmod a;\npub use a::A;\n#[macro_export]\nmacro_rules! m { () => { fn f() {} }; }\n\
                pub type F = fn(u8) -> u8;\nmod sealed { pub trait S { fn f(&self); } }\n\
                #[proc_macro_derive(Failure, attributes(failure))]\npub fn failure(t: T) -> T { derive(t) }";
    assert!(logic_in("a/src/lib.rs", text).is_empty());
    assert!(logic_in("a/src/a.rs", "fn f() {}").is_empty());
}
