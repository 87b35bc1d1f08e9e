//! Moves tokens one module down: what they name stays the same.
//!
//! The stubs of an impl block stand in a generated module inside the block's own. There `self::` and `super::` would
//! mean another module, and `Self` another type.

use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Type, Visibility, parse_quote};

/// `tokens` as they must be written one module further down; `Self` becomes `this`.
pub(crate) fn down(tokens: impl ToTokens, this: &Type) -> TokenStream {
    let mut moved = TokenStream::new();
    let mut follows_path_separator = false;
    let mut previous_is_joint_colon = false;
    for token in tokens.to_token_stream() {
        let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        let begins_path = !follows_path_separator;
        follows_path_separator = is_colon && previous_is_joint_colon;
        previous_is_joint_colon =
            matches!(&token, TokenTree::Punct(punct) if is_colon && punct.spacing() == Spacing::Joint);
        match &token {
            TokenTree::Ident(ident) if begins_path => moved.extend(down_ident(ident, this)),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), down(group.stream(), this));
                inner.set_span(group.span());
                moved.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => moved.extend([token]),
        }
    }
    moved
}

fn down_ident(ident: &Ident, this: &Type) -> TokenStream {
    let span = ident.span();
    if ident == "self" {
        quote_spanned!(span=> super)
    } else if ident == "super" {
        quote_spanned!(span=> super::super)
    } else if ident == "Self" {
        down(this, this)
    } else {
        ident.to_token_stream()
    }
}

/// The visibility that an item one module further down needs to be as visible as `visibility` says here.
pub(crate) fn down_visibility(visibility: &Visibility, this: &Type) -> Visibility {
    match visibility {
        Visibility::Inherited => parse_quote!(pub(super)),
        Visibility::Public(_) => visibility.clone(),
        Visibility::Restricted(restricted) if restricted.path.is_ident("crate") => visibility.clone(),
        Visibility::Restricted(restricted) => {
            let path = down(&restricted.path, this);
            parse_quote!(pub(in #path))
        }
    }
}

#[cfg(test)]
mod tests;
