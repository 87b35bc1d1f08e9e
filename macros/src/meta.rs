//! The keys of an attribute, and their values, each read with a message that shows how it is written.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, ExprPath, Lit, LitStr, Meta, Path, Token};

use crate::diagnostics::Diagnostics;
use crate::duration;

/// The longest name or key that is accepted, in bytes.
const NAME_BYTES_MAX: usize = 1_000;

/// One `key`, `key = value` or `key(..)`.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The key as a word.
    pub(crate) key: String,
    /// All its tokens.
    pub(crate) meta: Meta,
}

/// Splits the tokens of an attribute into keys; a key that stands twice is a mistake and dropped.
pub(crate) fn entries(tokens: TokenStream, diagnostics: &mut Diagnostics) -> Vec<Entry> {
    let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
    let mut entries: Vec<Entry> = Vec::new();
    for meta in diagnostics.take(parsed).into_iter().flatten() {
        let Some(key) = meta.path().get_ident().map(|ident| ident.unraw().to_string()) else {
            diagnostics.report(meta.path(), "a key is one word");
            continue;
        };
        if entries.iter().any(|entry| entry.key == key) {
            diagnostics.report(meta.path(), format!("`{key}` is given twice"));
            continue;
        }
        entries.push(Entry { key, meta });
    }
    entries
}

impl Entry {
    /// Notes a mistake in the key itself.
    pub(crate) fn refuse(&self, message: impl std::fmt::Display) -> Error {
        Error::new_spanned(self.meta.path(), message)
    }

    /// The key without a value.
    pub(crate) fn flag(&self) -> syn::Result<()> {
        if matches!(self.meta, Meta::Path(_)) {
            return Ok(());
        }
        Err(Error::new_spanned(&self.meta, format!("`{}` takes no value", self.key)))
    }

    /// What stands after `=`. `example` is a value.
    pub(crate) fn value(&self, example: &str) -> syn::Result<&Expr> {
        if let Meta::NameValue(pair) = &self.meta {
            return Ok(&pair.value);
        }
        Err(Error::new_spanned(&self.meta, format!("`{0}` takes a value: `{0} = {example}`", self.key)))
    }

    /// What stands in parentheses. `example` is such a list.
    pub(crate) fn list(&self, example: &str) -> syn::Result<TokenStream> {
        if let Meta::List(list) = &self.meta {
            return Ok(list.tokens.clone());
        }
        Err(Error::new_spanned(&self.meta, format!("`{0}` takes a list: `{0}({example})`", self.key)))
    }

    /// A text in quotes.
    pub(crate) fn text(&self, example: &str) -> syn::Result<LitStr> {
        let value = self.value(example)?;
        if let Some(Lit::Str(text)) = literal(value) {
            return Ok(text.clone());
        }
        Err(self.wrong(value, "a text", example))
    }

    /// A text that names something in the history: not empty, not blank, not too long.
    pub(crate) fn name(&self, example: &str) -> syn::Result<LitStr> {
        let literal = self.text(example)?;
        let text = literal.value();
        let problem = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if text.contains('\0') {
            "contains a zero character".to_owned()
        } else if text.len() > NAME_BYTES_MAX {
            format!("is {} bytes long, {NAME_BYTES_MAX} is the most", text.len())
        } else {
            return Ok(literal);
        };
        Err(Error::new(literal.span(), format!("`{}` {problem}", self.key)))
    }

    /// A duration longer than zero.
    pub(crate) fn positive_duration(&self) -> syn::Result<Duration> {
        duration::parse_positive(&self.key, &self.text("\"15s\"")?)
    }

    /// A duration of zero or more.
    pub(crate) fn duration(&self) -> syn::Result<Duration> {
        duration::parse(&self.text("\"15s\"")?)
    }

    /// A whole number.
    pub(crate) fn whole(&self, example: &str) -> syn::Result<u32> {
        let value = self.value(example)?;
        let number =
            if let Some(Lit::Int(number)) = literal(value) { number.base10_parse().ok() } else { None };
        number.ok_or_else(|| self.wrong(value, &format!("a whole number from 0 to {}", u32::MAX), example))
    }

    /// A number that `is_meant`; `range` says which those are.
    pub(crate) fn number(&self, range: &str, is_meant: fn(f64) -> bool) -> syn::Result<f64> {
        let value = self.value("1.5")?;
        let number = match literal(value) {
            Some(Lit::Int(number)) => number.base10_parse::<f64>().ok(),
            Some(Lit::Float(number)) => number.base10_parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| is_meant(*number))
            .ok_or_else(|| Error::new_spanned(value, format!("`{}` is a number {range}", self.key)))
    }

    /// The path of a function, a module or a package.
    pub(crate) fn path(&self, what: &str, example: &str) -> syn::Result<Path> {
        let value = self.value(example)?;
        if let Expr::Path(ExprPath { qself: None, path, attrs }) = value
            && attrs.is_empty()
        {
            return Ok(path.clone());
        }
        Err(self.wrong(value, what, example))
    }

    /// A single identifier.
    pub(crate) fn ident(&self, what: &str, example: &str) -> syn::Result<Ident> {
        let path = self.path(what, example)?;
        path.get_ident().cloned().ok_or_else(|| self.wrong(&path, what, example))
    }

    /// Texts in brackets.
    pub(crate) fn texts(&self, example: &str) -> syn::Result<Vec<LitStr>> {
        let value = self.value(example)?;
        let Expr::Array(array) = value else { return Err(self.wrong(value, "a list of texts", example)) };
        array
            .elems
            .iter()
            .map(|element| match literal(element) {
                Some(Lit::Str(text)) => Ok(text.clone()),
                _ => Err(self.wrong(element, "a list of texts", example)),
            })
            .collect()
    }

    fn wrong(&self, value: impl quote::ToTokens, what: &str, example: &str) -> Error {
        Error::new_spanned(value, format!("`{0}` takes {what}: `{0} = {example}`", self.key))
    }
}

fn literal(value: &Expr) -> Option<&Lit> {
    if let Expr::Lit(ExprLit { lit, .. }) = value { Some(lit) } else { None }
}

#[cfg(test)]
mod tests;
