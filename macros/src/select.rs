//! `select!`: the first of several futures, polled in the order written.

mod arms;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use self::arms::{Arm, Arms};

/// Expands the macro over `tokens`.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    match syn::parse2::<Arms>(tokens) {
        Ok(arms) => write(&arms.0),
        Err(error) => error.into_compile_error(),
    }
}

fn write(arms: &[Arm]) -> TokenStream {
    let hidden = |name: &str| Ident::new(name, Span::mixed_site());
    let numbered =
        |name: &str| (0..arms.len()).map(|index| hidden(&format!("{name}{index}"))).collect::<Vec<_>>();
    let (futures, guards) = (numbered("future"), numbered("is_on"));
    let variants: Vec<_> = (0..arms.len()).map(|index| format_ident!("_{index}")).collect();
    let (ready, first, value, context) =
        (hidden("__SelectReady"), hidden("first"), hidden("value"), hidden("cx"));
    let expressions = arms.iter().map(|arm| &arm.future);
    let conditions = arms.iter().map(|arm| match &arm.guard {
        Some(guard) => quote!(#guard),
        None => quote!(true),
    });
    let patterns = arms.iter().map(|arm| &arm.pattern);
    let handlers = arms.iter().map(|arm| &arm.handler);
    let nothing_to_wait_for = arms.iter().all(|arm| arm.guard.is_some()).then(|| {
        quote! {
            if !(#(#guards)||*) {
                ::core::panic!("every arm of this `select!` is switched off by its `if`")
            }
        }
    });
    quote! {{
        #[allow(non_camel_case_types, reason = "one variant for each arm")]
        enum #ready<#(#variants),*> { #(#variants(#variants)),* }
        let #first = {
            #(
                let #guards: bool = #conditions;
                let mut #futures = ::core::pin::pin!(::core::future::IntoFuture::into_future(#expressions));
            )*
            #nothing_to_wait_for
            ::core::future::poll_fn(|#context| {
                #(
                    if #guards
                        && let ::core::task::Poll::Ready(#value) =
                            ::core::future::Future::poll(#futures.as_mut(), #context)
                    {
                        return ::core::task::Poll::Ready(#ready::#variants(#value));
                    }
                )*
                ::core::task::Poll::Pending
            })
            .await
        };
        match #first {
            #(#ready::#variants(#patterns) => #handlers,)*
        }
    }}
}

#[cfg(test)]
mod tests;
