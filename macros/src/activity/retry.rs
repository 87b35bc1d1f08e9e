//! `retry(..)`: the retry policy of an activity, each value checked where it stands.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{LitStr, Path};

use crate::diagnostics::Diagnostics;
use crate::meta::{self, Entry};
use crate::{duration, suggest};

const KEYS: &[&str] = &[
    "initial_interval",
    "backoff_coefficient",
    "maximum_interval",
    "maximum_attempts",
    "jitter",
    "maximum_retry_after",
    "non_retryable",
];

/// A retry policy; what is `None` stays as the library has it.
#[derive(Debug, Clone, Default)]
pub(super) struct Retry {
    initial_interval: Option<Duration>,
    backoff_coefficient: Option<f64>,
    maximum_interval: Option<Duration>,
    maximum_attempts: Option<u32>,
    jitter: Option<f64>,
    maximum_retry_after: Option<Duration>,
    non_retryable: Option<Vec<LitStr>>,
}

/// Reads the keys inside the parentheses.
pub(super) fn parse(retry: &Entry, notes: &mut Diagnostics) -> syn::Result<Retry> {
    let mut policy = Retry::default();
    for entry in meta::entries(retry.list("maximum_attempts = 5")?, notes) {
        if let Err(error) = policy.read(&entry) {
            notes.push(error);
        }
    }
    Ok(policy)
}

impl Retry {
    fn read(&mut self, entry: &Entry) -> syn::Result<()> {
        match &*entry.key {
            "initial_interval" => self.initial_interval = Some(entry.positive_duration()?),
            "backoff_coefficient" => {
                let is_meant = |number: f64| number.is_finite() && number >= 1.0;
                self.backoff_coefficient = Some(entry.number("of at least 1", is_meant)?);
            }
            "maximum_interval" => self.maximum_interval = Some(entry.positive_duration()?),
            "maximum_attempts" => self.maximum_attempts = Some(entry.whole("5")?),
            "jitter" => {
                let is_meant = |number: f64| (0.0..=1.0).contains(&number);
                self.jitter = Some(entry.number("from 0 to 1", is_meant)?);
            }
            "maximum_retry_after" => self.maximum_retry_after = Some(entry.duration()?),
            "non_retryable" => self.non_retryable = Some(entry.texts("[\"BankError\"]")?),
            other => return Err(entry.refuse(suggest::unknown("key", other, KEYS))),
        }
        Ok(())
    }

    /// The policy as an expression.
    pub(super) fn tokens(&self, krate: &Path) -> TokenStream {
        let initial_interval = self.initial_interval.map(duration::tokens).into_iter();
        let maximum_interval = self.maximum_interval.map(duration::tokens).into_iter();
        let maximum_retry_after = self.maximum_retry_after.map(duration::tokens).into_iter();
        let backoff_coefficient = self.backoff_coefficient.into_iter();
        let maximum_attempts = self.maximum_attempts.into_iter();
        let jitter = self.jitter.into_iter();
        let non_retryable = self.non_retryable.iter().map(|names| quote!([#(#names),*]));
        quote! {
            <#krate::RetryPolicy as ::core::default::Default>::default()
                #(.initial_interval(#initial_interval))*
                #(.backoff_coefficient(#backoff_coefficient))*
                #(.maximum_interval(#maximum_interval))*
                #(.maximum_attempts(#maximum_attempts))*
                #(.jitter(#jitter))*
                #(.maximum_retry_after(#maximum_retry_after))*
                #(.non_retryable::<&str>(#non_retryable))*
        }
    }
}
