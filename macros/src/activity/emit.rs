//! What is written for one activity: its stub, its type, and the type's `Activity` impl.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{LitStr, Path, Visibility};

use super::arguments::Arguments;
use super::key::Template;
use crate::duration;
use crate::function::Function;
use crate::signature::{Checked, Outcome, at};

/// A checked activity.
pub(super) struct Activity<'a> {
    pub(super) function: &'a Function,
    pub(super) arguments: &'a Arguments,
    pub(super) signature: &'a Checked,
    pub(super) key: Option<Template>,
    /// The key of its circuit breaker.
    pub(super) breaker_key: Option<Template>,
    pub(super) krate: &'a Path,
    /// How visible the stub and the type are.
    pub(super) visibility: &'a Visibility,
    /// The type of the value that the body needs, `()` for a function.
    pub(super) state: TokenStream,
}

/// Names in generated code that users can neither see nor shadow.
pub(super) struct Hidden {
    pub(super) state: Ident,
    pub(super) context: Ident,
    pub(super) input: Ident,
    pub(super) scope: Ident,
}

impl Hidden {
    pub(super) fn new() -> Self {
        let ident = |name| Ident::new(name, Span::mixed_site());
        Self { state: ident("state"), context: ident("ctx"), input: ident("input"), scope: ident("scope") }
    }
}

impl Activity<'_> {
    /// Whether everything is there for [`Self::implementation`].
    fn outcome(&self) -> Option<&Outcome> {
        self.signature.outcome.as_ref().filter(|_| self.signature.is_sound)
    }

    /// The stub and the type.
    pub(super) fn names(&self) -> TokenStream {
        let Self { function, krate, visibility, signature, .. } = self;
        let (name, docs, conditions) =
            (function.name(), function.visible_attributes(), function.conditions());
        let (parameters, bundle, scope) = (signature.parameters(), signature.bundle(), Hidden::new().scope);
        let generics = (!signature.is_sound).then_some(&function.signature.generics);
        let clause = generics.and_then(|generics| generics.where_clause.as_ref());
        let body = if self.outcome().is_some() {
            quote!(#krate::__private::call(#scope, #bundle))
        } else {
            quote!(::core::unreachable!())
        };
        let about = format!("The activity [`{0}`](fn@{0}) as a type.", name.unraw());
        quote! {
            #(#conditions)*
            #(#docs)*
            #[track_caller]
            #[allow(dead_code, unused_variables, clippy::too_many_arguments, reason = "a stub has its body's parameters")]
            #visibility fn #name #generics (#scope: &dyn #krate::Scope #parameters) -> #krate::ActivityCall<#name> #clause {
                #body
            }

            #(#conditions)*
            #[doc = #about]
            #[derive(Debug, Clone, Copy)]
            #[allow(non_camel_case_types, reason = "the type of an activity is named like its function")]
            #visibility enum #name {}
        }
    }

    /// The `Activity` impl; `call` is the expression that runs the body.
    pub(super) fn implementation(&self, call: &TokenStream) -> TokenStream {
        let Some(outcome) = self.outcome() else { return self.placeholder() };
        let Self { function, krate, signature, .. } = self;
        let (name, conditions, hidden) = (function.name(), function.conditions(), Hidden::new());
        let Hidden { state, context, input, .. } = &hidden;
        let recorded_name = self.recorded_name();
        let (bundle, types) = (signature.bundle(), self.types(outcome));
        let (options, undo, key) = (self.options(), self.undo(), self.key(input));
        let breaker_key = self.breaker_key(input);
        let checks = signature.input_checks(krate);
        // Whatever is wrong with the body's future is reported at the name of the function.
        let future = quote_spanned! {name.span()=>
            impl ::core::future::Future<Output = ::core::result::Result<Self::Output, Self::Error>>
                + ::core::marker::Send
        };
        quote! {
            #(#conditions)*
            impl #krate::Activity for #name {
                const NAME: &'static str = #recorded_name;
                #types

                fn options() -> #krate::ActivityOptions {
                    #options
                }

                fn undo() -> ::core::option::Option<#krate::__private::UndoSpec> {
                    #undo
                }

                #[allow(unused_variables, reason = "a key need not use the input")]
                fn key(#input: &Self::Input) -> ::core::option::Option<::std::string::String> {
                    #key
                }

                #breaker_key

                #[allow(unused_variables, clippy::let_unit_value, reason = "a body need not use all of them")]
                fn call(
                    #state: ::std::sync::Arc<Self::State>,
                    #context: #krate::ActivityContext,
                    #input: Self::Input,
                ) -> #future {
                    let #bundle = #input;
                    #call
                }
            }

            #checks
        }
    }

    /// The associated types, each at the place where the user wrote it.
    fn types(&self, outcome: &Outcome) -> TokenStream {
        let (state, (input, input_span)) = (&self.state, self.signature.bundle_type(self.function.name()));
        let Outcome { output, output_span, error, error_span } = outcome;
        let mut types = quote!(type State = #state;);
        types.extend(quote_spanned!(input_span=> type Input = #input;));
        types.extend(quote_spanned!(*output_span=> type Output = #output;));
        types.extend(quote_spanned!(*error_span=> type Error = #error;));
        types
    }

    /// After a mistake: an impl that fits wherever the activity is named, so that nothing else is reported.
    fn placeholder(&self) -> TokenStream {
        let Self { function, krate, state, .. } = self;
        let (name, conditions, recorded_name) =
            (function.name(), function.conditions(), self.recorded_name());
        quote! {
            #(#conditions)*
            impl #krate::Activity for #name {
                const NAME: &'static str = #recorded_name;
                type State = #state;
                type Input = ();
                type Output = ();
                type Error = #krate::AnyFailure;
                fn options() -> #krate::ActivityOptions {
                    ::core::unreachable!()
                }
                fn undo() -> ::core::option::Option<#krate::__private::UndoSpec> {
                    ::core::unreachable!()
                }
                fn key(_: &()) -> ::core::option::Option<::std::string::String> {
                    ::core::unreachable!()
                }
                async fn call(
                    _: ::std::sync::Arc<Self::State>,
                    _: #krate::ActivityContext,
                    _: (),
                ) -> ::core::result::Result<(), #krate::AnyFailure> {
                    ::core::unreachable!()
                }
            }
        }
    }

    fn recorded_name(&self) -> LitStr {
        let name = self.function.name();
        self.arguments.name.clone().unwrap_or_else(|| LitStr::new(&name.unraw().to_string(), name.span()))
    }

    fn options(&self) -> TokenStream {
        let (arguments, krate) = (self.arguments, self.krate);
        let durations = [
            ("start_to_close", arguments.start_to_close),
            ("schedule_to_start", arguments.schedule_to_start),
            ("schedule_to_close", arguments.schedule_to_close),
            ("heartbeat", arguments.heartbeat),
            ("cancel_grace", arguments.cancel_grace),
        ];
        let mut fields: Vec<TokenStream> = Vec::new();
        if let Some(queue) = &arguments.queue {
            fields.push(quote!(queue: ::core::option::Option::Some(#krate::__private::queue(#queue))));
        }
        for (name, value) in durations {
            let Some(value) = value.map(duration::tokens) else { continue };
            let name = Ident::new(name, Span::call_site());
            fields.push(quote!(#name: ::core::option::Option::Some(#value)));
        }
        if let Some(retry) = &arguments.retry {
            let policy = retry.tokens(krate);
            fields.push(quote!(retry: ::core::option::Option::Some(#policy)));
        }
        if let Some(breaker) = &arguments.circuit_breaker {
            let breaker = breaker.tokens(krate);
            fields.push(quote!(circuit_breaker: ::core::option::Option::Some(#breaker)));
        }
        let default = quote!(<#krate::ActivityOptions as ::core::default::Default>::default());
        if fields.is_empty() {
            return default;
        }
        quote!(#krate::ActivityOptions { #(#fields,)* ..#default })
    }

    fn undo(&self) -> TokenStream {
        let Some(undo) = &self.arguments.compensate else { return quote!(::core::option::Option::None) };
        let krate = self.krate;
        let span = undo.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
        let krate = at(krate, span);
        let by = if self.arguments.undo_by_operator { "undo_by_operator" } else { "undo" };
        let by = Ident::new(by, span);
        let spec = quote_spanned!(span=> #krate::__private::#by::<Self, #undo, _>());
        quote!(::core::option::Option::Some(#spec))
    }

    /// The method of the trait that makes the key of the breaker, if there is one.
    fn breaker_key(&self, input: &Ident) -> Option<TokenStream> {
        let key = self.breaker_key.as_ref()?.tokens(input, self.signature);
        Some(quote! {
            #[allow(unused_variables, reason = "a key need not use the input")]
            fn breaker_key(#input: &Self::Input) -> ::core::option::Option<::std::string::String> {
                #key
            }
        })
    }

    fn key(&self, input: &Ident) -> TokenStream {
        match &self.key {
            Some(template) => template.tokens(input, self.signature),
            None => quote!(::core::option::Option::None),
        }
    }
}
