//! One mistake gives one message, and the names exist all the same.

use proc_macro2::TokenStream;
use quote::quote;

use crate::activity::expand;

/// The messages in an expansion, and whether it is a whole number of items.
fn messages(attribute: TokenStream, item: &TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expand(attribute, item)).unwrap();
    file.items
        .into_iter()
        .filter_map(|item| if let syn::Item::Macro(item) = item { Some(item.mac) } else { None })
        .map(|mac| syn::parse2::<syn::LitStr>(mac.tokens).unwrap().value())
        .collect()
}

fn item_names(attribute: TokenStream, item: &TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expand(attribute, item)).unwrap();
    file.items
        .into_iter()
        .filter_map(|item| {
            if let syn::Item::Fn(item) = &item {
                Some(format!("fn {}", item.sig.ident))
            } else if let syn::Item::Enum(item) = &item {
                Some(format!("enum {}", item.ident))
            } else if let syn::Item::Mod(item) = &item {
                Some(format!("mod {}", item.ident))
            } else {
                None
            }
        })
        .collect()
}

#[test]
fn the_names_survive_every_mistake() {
    for (attribute, item) in [
        (
            quote!(nmae = "a"),
            quote!(
                async fn f(x: u8) -> Result<(), E> {
                    Ok(())
                }
            ),
        ),
        (
            quote!(),
            quote!(
                async fn f<T>(x: T) -> Result<(), E> {
                    Ok(())
                }
            ),
        ),
        (
            quote!(),
            quote!(
                fn f(x: u8) -> Result<(), E> {
                    Ok(())
                }
            ),
        ),
        (
            quote!(),
            quote!(
                async fn f(x: &str) {}
            ),
        ),
    ] {
        assert_ne!(messages(attribute.clone(), &item), [""; 0]);
        assert_eq!(item_names(attribute, &item), ["fn f", "enum f"]);
    }
}

#[test]
fn only_functions_and_blocks() {
    let goes_on = "`#[activity]` goes on an `async fn`, or on an impl block whose methods are marked with it";
    assert_eq!(
        messages(
            quote!(),
            &quote!(
                struct S {}
            )
        ),
        [goes_on]
    );
    assert_eq!(
        messages(
            quote!(),
            &quote!(
                pub(crate) mod m {}
            )
        ),
        [goes_on]
    );
    assert_eq!(
        messages(
            quote!(),
            &quote!(
                async fn f(&self) -> Result<(), E> {
                    Ok(())
                }
            )
        ),
        ["an activity with `&self` belongs in an impl block marked `#[activity]`"]
    );
}

#[test]
fn blocks_that_cannot_hold_activities() {
    let method = quote!(
        #[activity]
        async fn charge(&self) -> Result<(), E> {
            Ok(())
        }
    );
    for (block, message) in [
        (
            quote!(impl Bank for Payments { #method }),
            "activities stand in an impl block of the type itself, not of a trait",
        ),
        (
            quote!(impl<T> Payments<T> { #method }),
            "an activity is recorded by name, so its type cannot be generic",
        ),
        (quote!(impl Payments { fn new() {} }), "no method of this block is marked `#[activity]`"),
        (quote!(impl [u8] { #method }), "activities stand in an impl block of a plain type: `impl Payments`"),
    ] {
        assert_eq!(messages(quote!(), &block)[0], message);
    }
}

#[test]
fn methods_that_cannot_be_activities() {
    let block = quote! {
        impl Payments {
            #[activity(crate = a)]
            async fn charge(&mut self) -> Result<(), E> { Ok(()) }
            #[activity = "x"]
            async fn refund(x: u8) -> Result<(), E> { Ok(()) }
        }
    };
    assert_eq!(
        messages(quote!(), &block),
        [
            "`crate` belongs on the impl block, not on one of its activities",
            "write `#[activity]` or `#[activity(key = value)]`",
            "an activity of an impl block takes `&self`: all attempts share the value",
            "an activity of an impl block takes `&self`: all attempts share the value; \
             a function without `self` is an activity of its own, outside the block",
        ]
    );
    assert_eq!(item_names(quote!(), &block), ["mod payments"]);
}
