//! Banned paths: `std::time::Instant::now`, `tokio::select!`.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::table::{BANS, Ban};
use super::{Finding, visible};

/// Finds banned paths in `group` and in the groups within.
pub(super) fn scan(group: &Group, findings: &mut Vec<Finding>) {
    let tokens = visible(group);
    let mut position = 0;
    while position < tokens.len() {
        if let TokenTree::Group(inner) = &tokens[position] {
            scan(inner, findings);
        }
        let end = path_end(&tokens, position);
        if end == position {
            position += 1;
            continue;
        }
        let is_method = position > 0 && is_punct(&tokens[position - 1], '.');
        let path = &tokens[position..end];
        if !is_method && let Some(ban) = banned(path, is_called(&tokens[end..])) {
            let tokens: TokenStream = path.iter().cloned().collect();
            findings.push(Finding { class: ban.class, tokens, help: ban.help });
        }
        position = end;
    }
}

/// Where the path that begins at `start` ends; `start` itself if none begins there.
fn path_end(tokens: &[TokenTree], start: usize) -> usize {
    let mut end = start;
    while let Some(TokenTree::Ident(_)) = tokens.get(end) {
        end += 1;
        let separator = tokens.get(end..end + 2);
        let continues = separator.is_some_and(|pair| pair.iter().all(|token| is_punct(token, ':')))
            && matches!(tokens.get(end + 2), Some(TokenTree::Ident(_)));
        if !continues {
            break;
        }
        end += 2;
    }
    end
}

/// Whether what follows a path calls it: arguments, type arguments, or a macro's `!`.
fn is_called(rest: &[TokenTree]) -> bool {
    match rest.first() {
        Some(TokenTree::Group(arguments)) => arguments.delimiter() == Delimiter::Parenthesis,
        Some(TokenTree::Punct(punct)) => punct.as_char() == '!' || punct.as_char() == ':',
        Some(TokenTree::Ident(_) | TokenTree::Literal(_)) | None => false,
    }
}

fn banned(path: &[TokenTree], is_called: bool) -> Option<&'static Ban> {
    let segments: Vec<String> = path
        .iter()
        .filter_map(|token| if let TokenTree::Ident(ident) = token { Some(ident.to_string()) } else { None })
        .collect();
    BANS.iter().find(|ban| {
        let tail = segments.len().checked_sub(ban.path.len()).map(|start| &segments[start..]);
        tail.is_some_and(|tail| {
            tail.iter()
                .zip(ban.path)
                .all(|(segment, banned)| segment == banned || *banned == "*" && is_called)
        })
    })
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}
