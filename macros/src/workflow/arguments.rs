//! The keys of `#[workflow(..)]`, read and checked.

use proc_macro2::TokenStream;
use syn::{LitStr, Path};

use super::lint::Class;
use crate::diagnostics::Diagnostics;
use crate::meta::{self, Entry};
use crate::suggest;

const KEYS: &[&str] = &["name", "version", "allow", "crate"];

/// What is said of a workflow. What was wrong is left out.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) name: Option<LitStr>,
    pub(super) version: Option<u32>,
    pub(super) allowed: Vec<Class>,
    pub(super) krate: Option<Path>,
}

impl Arguments {
    /// Reads the keys of a workflow.
    pub(super) fn parse(tokens: TokenStream, notes: &mut Diagnostics) -> Self {
        let mut arguments = Self::default();
        for entry in meta::entries(tokens, notes) {
            if let Err(error) = arguments.read(&entry, notes) {
                notes.push(error);
            }
        }
        arguments
    }

    fn read(&mut self, entry: &Entry, notes: &mut Diagnostics) -> syn::Result<()> {
        match &*entry.key {
            "name" => self.name = Some(entry.name("\"grand-tour\"")?),
            "version" => self.version = Some(entry.whole("2")?),
            "allow" => self.allowed = allowed(entry, notes)?,
            "crate" => self.krate = Some(entry.path("the path of the package", "my_steadfast")?),
            other => return Err(entry.refuse(suggest::unknown("key", other, KEYS))),
        }
        Ok(())
    }
}

fn allowed(allow: &Entry, notes: &mut Diagnostics) -> syn::Result<Vec<Class>> {
    let mut classes = Vec::new();
    for entry in meta::entries(allow.list("clock")?, notes) {
        match Class::of_name(&entry.key) {
            Some(class) => {
                notes.take(entry.flag());
                classes.push(class);
            }
            None => notes.push(entry.refuse(suggest::unknown("class", &entry.key, &Class::names()))),
        }
    }
    Ok(classes)
}
