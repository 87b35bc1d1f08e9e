//! `#[workflow]`: the function stays a function, a type of the same name implements `Workflow`, and the body is
//! searched for what would give another answer at replay.

mod arguments;
mod emit;
mod lint;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Path, parse_quote};

use self::arguments::Arguments;
use self::emit::Workflow;
use crate::diagnostics::Diagnostics;
use crate::function::Function;
use crate::signature::{self, Role};

/// Expands the attribute with the tokens `attribute` on `item`.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut notes = Diagnostics::default();
    let arguments = Arguments::parse(attribute, &mut notes);
    let krate: Path = arguments.krate.clone().unwrap_or_else(|| parse_quote!(::steadfast));
    if let Some(receiver) = function.signature.receiver() {
        notes.report(receiver, "a workflow is a function without `self`: its state is its local variables");
        let errors = notes.into_tokens();
        return quote!(#errors);
    }
    let checked = signature::check(&function.signature, Role::Workflow, &krate, &mut notes);
    lint::check(&function.body, &arguments.allowed, &mut notes);
    let workflow =
        Workflow { function: &function, arguments: &arguments, signature: &checked, krate: &krate };
    let items = workflow.items();
    let errors = notes.into_tokens();
    quote!(#errors #items)
}

#[cfg(test)]
mod tests;
