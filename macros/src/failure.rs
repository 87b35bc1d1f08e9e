//! `#[derive(Failure)]`: what should happen next, by variant.

mod marks;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Fields, LitStr, Meta, Path, parse_quote};

use self::marks::{Marks, Severity};
use crate::diagnostics::Diagnostics;
use crate::{meta, signature};

/// Expands the derive on `item`.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    match syn::parse2::<DeriveInput>(item) {
        Ok(input) => derive(&input),
        Err(error) => error.into_compile_error(),
    }
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut notes = Diagnostics::default();
    let (krate, own) = type_attributes(input, &mut notes);
    let krate = krate.unwrap_or_else(|| parse_quote!(::steadfast));
    let arms = match &input.data {
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let entries = entries(&variant.attrs, &mut notes);
                let marks = Marks::read(&entries, &variant.fields, &mut notes);
                let name = &variant.ident;
                arm(&quote!(Self::#name), &marks, &krate)
            });
            arms.collect()
        }
        Data::Struct(data) => vec![arm(&quote!(Self), &Marks::read(&own, &data.fields, &mut notes), &krate)],
        Data::Union(data) => {
            notes.report(data.union_token, "`Failure` is derived on enums and structs");
            Vec::new()
        }
    };
    let (errors, name) = (notes.into_tokens(), &input.ident);
    let (impl_generics, type_generics, clause) = input.generics.split_for_impl();
    let type_name = LitStr::new(&name.to_string(), name.span());
    let subject = if arms.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #errors
        #[automatically_derived]
        impl #impl_generics #krate::Failure for #name #type_generics #clause {
            const NAME: &'static str = #type_name;

            #[allow(deprecated, unreachable_code, reason = "a failure may have deprecated variants")]
            fn disposition(&self) -> #krate::Disposition {
                match #subject {
                    #(#arms)*
                }
            }

            fn causes(&self) -> ::std::vec::Vec<::std::string::String> {
                #[allow(unused_imports, reason = "which of them fits depends on the type")]
                use #krate::__private::{OfOther as _, OfStdError as _};
                (&#krate::__private::Causes(self)).texts()
            }
        }
    }
}

/// The path of the package, and the marks that stand on the type: those of a struct.
fn type_attributes(input: &DeriveInput, notes: &mut Diagnostics) -> (Option<Path>, Vec<meta::Entry>) {
    let mut krate = None;
    let mut own = Vec::new();
    for entry in entries(&input.attrs, notes) {
        if entry.key == "crate" {
            krate = notes.take(entry.path("the path of the package", "my_steadfast"));
        } else if matches!(input.data, Data::Enum(_)) && marks::is_known(&entry.key) {
            notes.push(entry.refuse(format!("`{}` belongs on the variants of an enum", entry.key)));
        } else {
            own.push(entry);
        }
    }
    if matches!(input.data, Data::Enum(_)) {
        Marks::read(&own, &Fields::Unit, notes);
        return (krate, Vec::new());
    }
    (krate, own)
}

/// The keys of all `#[failure(..)]` among `attributes`.
fn entries(attributes: &[Attribute], notes: &mut Diagnostics) -> Vec<meta::Entry> {
    let mut tokens = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("failure")) {
        let Meta::List(list) = &attribute.meta else {
            notes.report(attribute, "write `#[failure(non_retryable)]`, with a mark in parentheses");
            continue;
        };
        let inner = &list.tokens;
        tokens.extend(quote!(#inner,));
    }
    meta::entries(tokens, notes)
}

/// What should happen next after one variant.
fn arm(variant: &TokenStream, marks: &Marks, krate: &Path) -> TokenStream {
    if marks.non_retryable {
        return quote!(#variant { .. } => #krate::Disposition::NonRetryable,);
    }
    if marks.compensate {
        let severity = match marks.severity {
            Severity::Auto => quote!(Auto),
            Severity::Alert => quote!(Alert),
            Severity::Intervene => quote!(Intervene),
        };
        return quote! {
            #variant { .. } => #krate::Disposition::Compensate { severity: #krate::Severity::#severity },
        };
    }
    let no_effect = marks.no_effect;
    let Some(field) = &marks.retry_after else {
        return quote! {
            #variant { .. } => #krate::Disposition::Retryable {
                after: ::core::option::Option::None,
                no_effect: #no_effect,
            },
        };
    };
    // At the place of the field, so that a wrong type is reported there; nothing of the user's is in its scope.
    let wait = Ident::new("__wait", field.span());
    let path = signature::at(krate, field.span());
    let after = quote_spanned!(field.span()=> #path::__private::retry_after(#wait));
    quote! {
        #variant { #field: #wait, .. } => #krate::Disposition::Retryable { after: #after, no_effect: #no_effect },
    }
}

#[cfg(test)]
mod tests;
