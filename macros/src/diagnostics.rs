//! Collects every mistake of one macro call, so that they are reported together.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: Vec<Error>,
}

impl Diagnostics {
    /// Notes a mistake in `tokens`. `message` says what is wrong and what to write instead.
    pub(crate) fn report(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.errors.push(Error::new_spanned(tokens, message));
    }

    /// Notes a mistake that was found elsewhere.
    pub(crate) fn push(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// The value, or `None` and its mistake noted.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// How many mistakes there are.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// The mistakes as `compile_error!` calls, in the order in which they were found.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.into_iter().map(|error| error.into_compile_error()).collect()
    }

    /// The texts of the mistakes.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        self.errors.into_iter().flatten().map(|error| error.to_string()).collect()
    }
}
