//! The paths that `use` brings in, one by one: `use std::{cell::Cell, fs}` is `std::cell::Cell` and `std::fs`.

use super::tokens::Token;

/// A path brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    /// With `::` between its parts.
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

impl Import {
    /// Whether the path is `outer` or lies in it.
    pub(crate) fn is_within(&self, outer: &str) -> bool {
        self.path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}

/// All paths that the `use` declarations of a file bring in.
pub(crate) fn imports(tokens: &[Token]) -> Vec<Import> {
    let mut found = Vec::new();
    let mut rest = tokens;
    while let Some(at) = rest.iter().position(|token| token.text == "use") {
        let end =
            rest[at..].iter().position(|token| token.text == ";").map_or(rest.len(), |length| at + length);
        let tree = &rest[at + 1..end];
        // `use<'a>` in a bound captures lifetimes and imports nothing.
        if tree.first().is_some_and(|token| token.text != "<") {
            expand(tree, &mut found);
        }
        rest = &rest[end..];
    }
    found
}

/// Walks one tree of paths: a stack keeps what stands before each open brace.
fn expand(tree: &[Token], found: &mut Vec<Import>) {
    let (mut outer, mut prefix, mut is_name_new) = (Vec::new(), String::new(), false);
    let mut tokens = tree.iter();
    while let Some(token) = tokens.next() {
        match token.text.as_str() {
            "{" => outer.push(prefix.clone()),
            "}" | "," => {
                emit(&prefix, token.line, is_name_new, found);
                is_name_new = false;
                let closed = if token.text == "}" { outer.pop() } else { None };
                prefix = outer.last().cloned().or(closed).unwrap_or_default();
            }
            "as" => drop(tokens.next()),
            text => {
                prefix.push_str(text);
                is_name_new = text != "::";
            }
        }
    }
    let line = tree.last().map_or(0, |token| token.line);
    emit(&prefix, line, is_name_new, found);
}

fn emit(prefix: &str, line: usize, is_name_new: bool, found: &mut Vec<Import>) {
    if is_name_new {
        found.push(Import { path: prefix.trim_start_matches("::").to_owned(), line });
    }
}

fn paths(text: &str) -> Vec<String> {
    imports(&super::tokens::tokens(text)).into_iter().map(|import| import.path).collect()
}

#[test]
fn a_tree_is_taken_apart() {
    assert_eq!(
        paths("use std::{cell::{Cell, RefCell as R}, fs,\n env};\npub(crate) use a::b as c; use ::d::*;"),
        ["std::cell::Cell", "std::cell::RefCell", "std::fs", "std::env", "a::b", "d::*"]
    );
    assert_eq!(paths("use a::{self, b::{c, d}, e}; fn f() {}"), ["a::self", "a::b::c", "a::b::d", "a::e"]);
}

#[test]
fn a_path_lies_within_another_only_at_a_whole_part() {
    let import = Import { path: "std::fs::read".to_owned(), line: 1 };
    assert!(import.is_within("std::fs") && import.is_within("std::fs::read"));
    assert!(!import.is_within("std::f") && !import.is_within("std::fs::read::x"));
}
