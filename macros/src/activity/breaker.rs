//! `circuit_breaker(..)`: when attempts of an activity are held back, each value checked where it stands.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{LitStr, Path};

use crate::diagnostics::Diagnostics;
use crate::meta::{self, Entry};
use crate::{duration, suggest};

const KEYS: &[&str] = &["failures", "successes", "open", "key"];

/// A circuit breaker; what is `None` stays as the library has it.
#[derive(Debug, Clone)]
pub(super) struct Breaker {
    failures: u32,
    successes: Option<u32>,
    open: Option<Duration>,
    pub(super) key: Option<LitStr>,
}

/// Reads the keys inside the parentheses.
pub(super) fn parse(breaker: &Entry, notes: &mut Diagnostics) -> syn::Result<Breaker> {
    let mut read = Breaker { failures: 1, successes: None, open: None, key: None };
    let mut is_told = false;
    for entry in meta::entries(breaker.list("failures = 5, open = \"30s\"")?, notes) {
        let told = match &*entry.key {
            "failures" => {
                is_told = true;
                positive(&entry, "5").map(|number| read.failures = number)
            }
            "successes" => positive(&entry, "2").map(|number| read.successes = Some(number)),
            "open" => entry.positive_duration().map(|open| read.open = Some(open)),
            "key" => entry.text("\"{region}\"").map(|key| read.key = Some(key)),
            other => Err(entry.refuse(suggest::unknown("key", other, KEYS))),
        };
        if let Err(error) = told {
            notes.push(error);
        }
    }
    if !is_told {
        let message = "`circuit_breaker` needs `failures`: how many in a row open it, say `failures = 5`";
        return Err(breaker.refuse(message));
    }
    Ok(read)
}

fn positive(entry: &Entry, example: &str) -> syn::Result<u32> {
    match entry.whole(example)? {
        0 => Err(entry.refuse(format!("`{}` must be at least 1", entry.key))),
        number => Ok(number),
    }
}

impl Breaker {
    /// The breaker as an expression, without its key.
    pub(super) fn tokens(&self, krate: &Path) -> TokenStream {
        let failures = self.failures;
        let successes = self.successes.into_iter();
        let open = self.open.map(duration::tokens).into_iter();
        quote! {
            #krate::CircuitBreaker::new(#failures)
                #(.successes(#successes))*
                #(.open(#open))*
        }
    }
}
