//! The keys of `#[activity(..)]`, read and checked.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use super::breaker::{self, Breaker};
use super::retry::{self, Retry};
use crate::diagnostics::Diagnostics;
use crate::meta::{self, Entry};
use crate::suggest;

const KEYS: &[&str] = &[
    "name",
    "queue",
    "start_to_close",
    "schedule_to_start",
    "schedule_to_close",
    "heartbeat",
    "retry",
    "compensate",
    "undo",
    "idempotency_key",
    "cancel_grace",
    "circuit_breaker",
    "crate",
];

/// What is said of one activity. What was wrong is left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub(super) name: Option<LitStr>,
    pub(super) queue: Option<LitStr>,
    pub(super) start_to_close: Option<Duration>,
    pub(super) schedule_to_start: Option<Duration>,
    pub(super) schedule_to_close: Option<Duration>,
    pub(super) heartbeat: Option<Duration>,
    pub(super) cancel_grace: Option<Duration>,
    pub(super) retry: Option<Retry>,
    pub(super) circuit_breaker: Option<Breaker>,
    pub(super) compensate: Option<Path>,
    pub(super) undo_by_operator: bool,
    pub(super) idempotency_key: Option<LitStr>,
    pub(super) krate: Option<Path>,
}

impl Arguments {
    /// Reads the keys of an activity.
    pub(super) fn parse(tokens: TokenStream, notes: &mut Diagnostics) -> Self {
        let mut arguments = Self::default();
        let entries = meta::entries(tokens, notes);
        for entry in &entries {
            if let Err(error) = arguments.read(entry, notes) {
                notes.push(error);
            }
        }
        if let (Some(undo), None) = (entries.iter().find(|entry| entry.key == "undo"), &arguments.compensate)
        {
            notes.push(undo.refuse("`undo` goes with `compensate`: it says who lets that undo run"));
        }
        arguments
    }

    fn read(&mut self, entry: &Entry, notes: &mut Diagnostics) -> syn::Result<()> {
        match &*entry.key {
            "name" => self.name = Some(entry.name("\"book-hotel\"")?),
            "queue" => self.queue = Some(entry.name("\"payments\"")?),
            "start_to_close" => self.start_to_close = Some(entry.positive_duration()?),
            "schedule_to_start" => self.schedule_to_start = Some(entry.positive_duration()?),
            "schedule_to_close" => self.schedule_to_close = Some(entry.positive_duration()?),
            "heartbeat" => self.heartbeat = Some(entry.positive_duration()?),
            "cancel_grace" => self.cancel_grace = Some(entry.duration()?),
            "retry" => self.retry = Some(retry::parse(entry, notes)?),
            "circuit_breaker" => self.circuit_breaker = Some(breaker::parse(entry, notes)?),
            "compensate" => {
                self.compensate = Some(entry.path("the name of an activity", "cancel_hotel")?);
            }
            "undo" => self.undo_by_operator = undo_by_operator(entry)?,
            "idempotency_key" => self.idempotency_key = Some(entry.text("\"order-{order.id}\"")?),
            "crate" => self.krate = Some(entry.path("the path of the package", "my_steadfast")?),
            "module" => {
                return Err(entry.refuse("`module` belongs on the impl block, not on an activity"));
            }
            other => return Err(entry.refuse(suggest::unknown("key", other, KEYS))),
        }
        Ok(())
    }
}

fn undo_by_operator(entry: &Entry) -> syn::Result<bool> {
    let text = entry.text("\"operator\"")?;
    match &*text.value() {
        "auto" => Ok(false),
        "operator" => Ok(true),
        other => Err(syn::Error::new(text.span(), suggest::unknown("undo", other, &["auto", "operator"]))),
    }
}

/// What is said of a whole impl block.
#[derive(Debug, Default)]
pub(super) struct BlockArguments {
    pub(super) module: Option<Ident>,
    pub(super) krate: Option<Path>,
}

impl BlockArguments {
    /// Reads the keys of an impl block.
    pub(super) fn parse(tokens: TokenStream, notes: &mut Diagnostics) -> Self {
        let mut arguments = Self::default();
        for entry in meta::entries(tokens, notes) {
            if let Err(error) = arguments.read(&entry) {
                notes.push(error);
            }
        }
        arguments
    }

    fn read(&mut self, entry: &Entry) -> syn::Result<()> {
        match &*entry.key {
            "module" => self.module = Some(entry.ident("the name of the generated module", "bank")?),
            "crate" => self.krate = Some(entry.path("the path of the package", "my_steadfast")?),
            key if KEYS.contains(&key) => {
                let message = format!("`{key}` belongs on an activity of the block, not on the block");
                return Err(entry.refuse(message));
            }
            other => return Err(entry.refuse(suggest::unknown("key", other, &["module", "crate"]))),
        }
        Ok(())
    }
}
