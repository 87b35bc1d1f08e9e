//! What is written for one workflow.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{LitStr, Path};

use super::arguments::Arguments;
use crate::function::Function;
use crate::signature::{Checked, Outcome, at};

/// The version of a workflow that says none.
const FIRST_VERSION: u32 = 1;

/// A checked workflow.
pub(super) struct Workflow<'a> {
    pub(super) function: &'a Function,
    pub(super) arguments: &'a Arguments,
    pub(super) signature: &'a Checked,
    pub(super) krate: &'a Path,
}

impl Workflow<'_> {
    fn outcome(&self) -> Option<&Outcome> {
        self.signature.outcome.as_ref().filter(|_| self.signature.is_sound)
    }

    /// The function, the type, the body and the `Workflow` impl.
    pub(super) fn items(&self) -> TokenStream {
        let Self { function, krate, .. } = self;
        let (name, visibility, conditions) = (function.name(), &function.visibility, function.conditions());
        let (entry, implementation, run) = (self.entry(), self.implementation(), function.renamed_to_run());
        let about = format!("The workflow [`{0}`](fn@{0}) as a type.", name.unraw());
        let recorded_name = function_name(self.arguments.name.as_ref(), name);
        let checks = self.outcome().map(|_| self.signature.input_checks(krate));
        let version = self.arguments.version.unwrap_or(FIRST_VERSION);
        quote! {
            #entry

            #(#conditions)*
            #[doc = #about]
            #[derive(Debug, Clone, Copy)]
            #[allow(non_camel_case_types, reason = "the type of a workflow is named like its function")]
            #visibility enum #name {}

            #(#conditions)*
            #[allow(dead_code, clippy::missing_errors_doc, reason = "the body of the workflow, as its author wrote it")]
            impl #name {
                #[doc = "The body of the workflow."]
                #run
            }

            #(#conditions)*
            impl #krate::Workflow for #name {
                const NAME: &'static str = #recorded_name;
                const VERSION: u32 = #version;
                #implementation
            }

            #checks
        }
    }

    /// The function that users name.
    fn entry(&self) -> TokenStream {
        let Self { function, krate, signature, .. } = self;
        let (name, visibility, conditions) = (function.name(), &function.visibility, function.conditions());
        let (docs, parameters, names) =
            (function.visible_attributes(), signature.parameters(), signature.names());
        let generics = (!signature.is_sound).then_some(&function.signature.generics);
        let clause = generics.and_then(|generics| generics.where_clause.as_ref());
        let ctx = Ident::new("ctx", Span::mixed_site());
        let body = match self.outcome() {
            Some(outcome) => {
                let krate = at(krate, outcome.error_span);
                quote_spanned! {outcome.error_span=>
                    #krate::__private::workflow_future(#name::run(#ctx #(, #names)*))
                }
            }
            None => quote!(::core::unreachable!()),
        };
        quote! {
            #(#conditions)*
            #(#docs)*
            #[allow(dead_code, unused_variables, clippy::too_many_arguments, reason = "it has its body's parameters")]
            #visibility fn #name #generics (#ctx: #krate::WorkflowContext #parameters) -> #krate::WorkflowFuture<#name> #clause {
                #body
            }
        }
    }

    /// The types and the call of the `Workflow` impl; after a mistake, ones that fit wherever it is named.
    fn implementation(&self) -> TokenStream {
        let Self { function, krate, signature, .. } = self;
        let Some(outcome) = self.outcome() else {
            return quote! {
                type Input = ();
                type Output = ();
                fn call(_: #krate::WorkflowContext, _: ()) -> #krate::WorkflowFuture<Self> {
                    ::core::unreachable!()
                }
            };
        };
        let (name, names, bundle) = (function.name(), signature.names(), signature.bundle());
        let (input_type, input_span) = signature.bundle_type(name);
        let (output, output_span) = (&outcome.output, outcome.output_span);
        let mut types = quote_spanned!(input_span=> type Input = #input_type;);
        types.extend(quote_spanned!(output_span=> type Output = #output;));
        let ident = |text| Ident::new(text, Span::mixed_site());
        let (ctx, input, function) = (ident("ctx"), ident("input"), ident("function"));
        quote! {
            #types

            #[allow(clippy::let_unit_value, reason = "a workflow need not have inputs")]
            fn call(#ctx: #krate::WorkflowContext, #input: Self::Input) -> #krate::WorkflowFuture<Self> {
                // An input may be named like the function.
                let #function = #name;
                let #bundle = #input;
                #function(#ctx #(, #names)*)
            }
        }
    }
}

fn function_name(given: Option<&LitStr>, function: &Ident) -> LitStr {
    given.cloned().unwrap_or_else(|| LitStr::new(&function.unraw().to_string(), function.span()))
}
