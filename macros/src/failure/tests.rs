use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

fn expansion(item: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(expand(item)).unwrap())
}

fn messages(item: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expand(item)).unwrap();
    file.items
        .into_iter()
        .filter_map(|item| if let syn::Item::Macro(item) = item { Some(item.mac) } else { None })
        .map(|mac| syn::parse2::<syn::LitStr>(mac.tokens).unwrap().value())
        .collect()
}

#[test]
fn of_an_enum() {
    insta::assert_snapshot!(expansion(quote! {
        enum BankError {
            #[failure(non_retryable)]
            Declined,
            #[failure(retry_after = wait, no_effect)]
            Busy { wait: Duration, by: String },
            #[failure(retry_after = 0)]
            Slow(Option<Duration>),
            #[failure(no_effect)]
            #[failure(retryable)]
            Early,
            #[failure(compensate)]
            Begun(u8),
            #[failure(compensate, severity = "alert")]
            Unbooked,
            #[failure(compensate, severity = "intervene")]
            Lost,
            Network(String),
        }
    }));
}

#[test]
fn of_a_struct() {
    insta::assert_snapshot!(expansion(quote! {
        #[failure(non_retryable, crate = renamed)]
        struct NoRoom<T>(T) where T: Clone;
    }));
}

#[test]
fn of_an_empty_enum() {
    insta::assert_snapshot!(expansion(quote!(
        enum Never {}
    )));
}

#[test]
fn every_mistake_is_told_at_once() {
    let item = quote! {
        #[failure(retryable, colour = "red")]
        enum F {
            #[failure(retry_after = wait)] A { wiat: Duration },
            #[failure(retry_after = 1)] B(Duration),
            #[failure(retry_after = "1s")] C,
            #[failure(severity = "alert")] D,
            #[failure(compensate, severity = "loud")] J,
            #[failure(compensate, no_effect, non_retryable)] K,
            #[failure(compensate = "x", severity = 3)] L,
            #[failure(nonretryable)] E,
            #[failure(non_retryable, retry_after = 0)] G(Duration),
            #[failure(no_effect = true, crate = a)] H,
            #[failure] I,
        }
    };
    assert_eq!(
        messages(item),
        [
            "`retryable` belongs on the variants of an enum",
            "unknown mark `colour`; known are `retryable`, `no_effect`, `retry_after`, `non_retryable`, \
             `compensate`, `severity`",
            "`retry_after` names a field of this variant that holds a `Duration`; its fields are `wiat`",
            "`retry_after` names a field of this variant that holds a `Duration`; its fields are `0`",
            "`retry_after` names a field of this variant that holds a `Duration`; it has none",
            "`severity` goes with `compensate`: `#[failure(compensate, severity = \"alert\")]`",
            "unknown severity `loud`; known are `auto`, `alert`, `intervene`",
            "`compensate` and `non_retryable` exclude each other",
            "`compensate` and `no_effect` exclude each other",
            "`compensate` takes no value",
            "`severity` takes a text: `severity = \"alert\"`",
            "unknown mark `nonretryable`; did you mean `non_retryable`?",
            "`non_retryable` and `retry_after` exclude each other",
            "`no_effect` takes no value",
            "`crate` belongs on the type, not on a variant",
            "write `#[failure(non_retryable)]`, with a mark in parentheses",
        ]
    );
}

#[test]
fn a_union_has_no_variants() {
    assert_eq!(messages(quote!(union U { a: u8 })), ["`Failure` is derived on enums and structs"]);
}
