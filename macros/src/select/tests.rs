use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

fn expansion(arms: TokenStream) -> String {
    let block = expand(arms);
    prettyplease::unparse(&syn::parse2(quote!(async fn f() { #block })).unwrap())
}

#[test]
fn of_two_arms() {
    insta::assert_snapshot!(expansion(quote! {
        reply = &mut call => break reply?,
        _ = ctx.sleep(secs(1)) => {}
    }));
}

#[test]
fn of_guarded_arms() {
    insta::assert_snapshot!(expansion(quote! {
        a = approvals.next(), if open > 0 => { a? }
        Some(b) | b = other, if is_late => b,
    }));
}

#[test]
fn arms_are_well_formed() {
    for (arms, expected) in [
        (quote!(), "`select!` has at least one arm"),
        (quote!(a = b => c d = e => f), "expected `,` after the handler"),
        (quote!(a = b), "expected `=>`"),
        (quote!(a => b), "an arm is `pattern = future => handler`"),
        (quote!(a = b, c => d), "expected `if`"),
    ] {
        let text = expand(arms).to_string();
        assert!(text.contains(expected), "{text}");
    }
}
