//! Finds in the body of a workflow what would give another answer when the workflow is replayed.
//!
//! It works on tokens, so it sees code and macro arguments alike, and only what the body spells out: callees are the
//! business of `clippy.toml`. Arguments of `.step(..)` and `.side_effect(..)` are exempt: they run once.

mod map;
mod path;
mod table;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

pub(crate) use self::table::Class;
use crate::diagnostics::Diagnostics;

/// Notes every banned call in `body` whose class is not `allowed`.
pub(super) fn check(body: &Group, allowed: &[Class], notes: &mut Diagnostics) {
    let mut findings = Vec::new();
    path::scan(body, &mut findings);
    map::scan(body, &mut findings);
    for Finding { class, tokens, help } in findings {
        if allowed.contains(&class) {
            continue;
        }
        let text = written(&tokens);
        let class = class.name();
        let message = format!(
            "`{text}` in a workflow gives another answer at replay\n  \
             help: {help}\n  \
             help: if it cannot reach a decision: #[workflow(allow({class}))]"
        );
        notes.report(tokens, message);
    }
}

/// Something that replays differently.
struct Finding {
    class: Class,
    tokens: TokenStream,
    help: &'static str,
}

/// The tokens of a group in which arguments of `.step(..)` and `.side_effect(..)` are left out.
fn visible(group: &Group) -> Vec<TokenTree> {
    let mut tokens = Vec::new();
    let mut after_dot = false;
    let mut is_exempt = false;
    for token in group.stream() {
        match &token {
            TokenTree::Ident(ident) if after_dot => is_exempt = ident == "step" || ident == "side_effect",
            TokenTree::Group(arguments) if is_exempt && arguments.delimiter() == Delimiter::Parenthesis => {
                is_exempt = false;
                after_dot = false;
                continue;
            }
            TokenTree::Punct(punct) if [';', '.', '='].contains(&punct.as_char()) => is_exempt = false,
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        tokens.push(token);
    }
    tokens
}

/// `tokens` as people write them: `std::time::Instant::now`.
fn written(tokens: &TokenStream) -> String {
    tokens.to_string().replace(' ', "")
}

#[cfg(test)]
mod tests;
