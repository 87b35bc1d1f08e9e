//! `#[activity]` on a function.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Path, parse_quote};

use super::arguments::Arguments;
use super::emit::{Activity, Hidden};
use super::key::Template;
use crate::diagnostics::Diagnostics;
use crate::function::Function;
use crate::signature::{self, Checked, Context, Role};

/// Expands `#[activity(attribute)]` on `function`.
pub(super) fn expand(attribute: TokenStream, function: &Function) -> TokenStream {
    let mut notes = Diagnostics::default();
    let arguments = Arguments::parse(attribute, &mut notes);
    let krate: Path = arguments.krate.clone().unwrap_or_else(|| parse_quote!(::steadfast));
    if let Some(receiver) = function.signature.receiver() {
        notes.report(receiver, "an activity with `&self` belongs in an impl block marked `#[activity]`");
        let errors = notes.into_tokens();
        return quote!(#errors);
    }
    let checked = signature::check(&function.signature, Role::Activity, &krate, &mut notes);
    let (key, breaker_key) = keys(&arguments, &checked, &mut notes);
    let activity = Activity {
        function,
        arguments: &arguments,
        signature: &checked,
        key,
        breaker_key,
        krate: &krate,
        visibility: &function.visibility,
        state: quote!(()),
    };
    let (names, implementation) = (activity.names(), activity.implementation(&call(function, &checked)));
    let (errors, name, run) = (notes.into_tokens(), function.name(), function.renamed_to_run());
    let conditions = function.conditions();
    quote! {
        #errors
        #names
        #implementation
        #(#conditions)*
        #[allow(dead_code, clippy::missing_errors_doc, reason = "the body of the activity, as its author wrote it")]
        impl #name {
            #[doc = "The body of the activity, for unit tests."]
            #run
        }
    }
}

/// The idempotency key and the key of the breaker, checked; nothing where there is none or it is wrong.
pub(super) fn keys(
    arguments: &Arguments,
    checked: &Checked,
    notes: &mut Diagnostics,
) -> (Option<Template>, Option<Template>) {
    let breaker = arguments.circuit_breaker.as_ref().and_then(|breaker| breaker.key.as_ref());
    let mut read = |literal: Option<&syn::LitStr>| notes.take(Template::parse(literal?, checked));
    (read(arguments.idempotency_key.as_ref()), read(breaker))
}

/// Runs the body. A borrowed context needs a future that owns it.
fn call(function: &Function, checked: &Checked) -> TokenStream {
    let (names, context, span) = (checked.names(), Hidden::new().context, function.name().span());
    match checked.context {
        Context::None => quote_spanned!(span=> Self::run(#(#names),*)),
        Context::Owned => quote_spanned!(span=> Self::run(#context #(, #names)*)),
        Context::Borrowed => quote_spanned!(span=> async move { Self::run(&#context #(, #names)*).await }),
    }
}
