//! Iteration over a hash map that the body itself made or names: the order differs from run to run.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::table::{Class, ITERATION};
use super::{Finding, visible};

const MAPS: &[&str] = &["HashMap", "HashSet"];
const ITERATORS: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "keys",
    "values",
    "values_mut",
    "into_keys",
    "into_values",
    "drain",
    "retain",
];

/// Finds iterations in `body` over names that a `let` before them binds to a hash map.
pub(super) fn scan(body: &Group, findings: &mut Vec<Finding>) {
    walk(body, Vec::new(), findings);
}

/// A name that a `let` binds; it holds from the end of the statement on.
struct Binding {
    name: String,
    is_map: bool,
    end: usize,
}

/// `maps` are the names that stand for a hash map where the group begins.
fn walk(group: &Group, mut maps: Vec<String>, findings: &mut Vec<Finding>) {
    let tokens = visible(group);
    let mut pending: Option<Binding> = None;
    for (position, token) in tokens.iter().enumerate() {
        if let Some(binding) = pending.take_if(|binding| binding.end <= position) {
            maps.retain(|map| *map != binding.name);
            maps.extend(binding.is_map.then_some(binding.name));
        }
        match token {
            TokenTree::Group(inner) => walk(inner, maps.clone(), findings),
            TokenTree::Ident(ident) if ident == "let" => pending = binding(&tokens, position + 1),
            TokenTree::Ident(ident) if maps.iter().any(|map| ident == map) => {
                if is_iterated(&tokens, position) {
                    findings.push(finding(ident, &tokens[position + 1..]));
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// What the `let` before `start` binds. It binds a map if a map's type stands before any parentheses.
fn binding(tokens: &[TokenTree], start: usize) -> Option<Binding> {
    let rest = tokens.get(start..)?;
    let length =
        rest.iter().position(|token| is_punct(token, ';')).unwrap_or_else(|| rest.len().saturating_sub(1));
    let statement = &rest[..length];
    let mut words = statement.iter().skip_while(|token| is_ident(token, "mut"));
    let TokenTree::Ident(name) = words.next()? else { return None };
    let mut before_groups = words.take_while(|token| !matches!(token, TokenTree::Group(_)));
    let is_map = before_groups.any(|token| MAPS.iter().any(|map| is_ident(token, map)));
    Some(Binding { name: name.to_string(), is_map, end: start + length })
}

/// Whether the map at `position` is the subject of a `for`, or one of its iterators is called.
fn is_iterated(tokens: &[TokenTree], position: usize) -> bool {
    let mut before = tokens[..position].iter().rev();
    let subject_of = before.find(|token| !is_ident(token, "mut") && !is_punct(token, '&'));
    let ends_header = matches!(
        tokens.get(position + 1),
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace
    );
    let in_for = ends_header && subject_of.is_some_and(|token| is_ident(token, "in"));
    in_for || calls_iterator(&tokens[position + 1..])
}

/// Whether an iterator is called directly on what stands before.
fn calls_iterator(rest: &[TokenTree]) -> bool {
    let [dot, TokenTree::Ident(method), TokenTree::Group(_), ..] = rest else { return false };
    is_punct(dot, '.') && ITERATORS.iter().any(|name| method == name)
}

fn finding(map: &Ident, rest: &[TokenTree]) -> Finding {
    let mut tokens: TokenStream = [TokenTree::Ident(map.clone())].into_iter().collect();
    if calls_iterator(rest) {
        tokens.extend(rest.iter().take(2).cloned());
    }
    Finding { class: Class::Hash, tokens, help: ITERATION }
}

fn is_ident(token: &TokenTree, text: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == text)
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}
