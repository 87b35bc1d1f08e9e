use proc_macro2::Span;
use quote::quote;
use syn::{LitStr, Signature, parse_quote};

use crate::activity::key::Template;
use crate::diagnostics::Diagnostics;
use crate::signature::{Role, check};

fn template(text: &str) -> Result<String, String> {
    let signature: Signature = parse_quote!(async fn f(user: String, order: Order, r#type: u8) -> R);
    let checked = check(&signature, Role::Activity, &parse_quote!(::steadfast), &mut Diagnostics::default());
    let literal = LitStr::new(text, Span::call_site());
    Template::parse(&literal, &checked)
        .map(|template| template.tokens(&parse_quote!(input), &checked).to_string())
        .map_err(|error| error.to_string())
}

#[test]
fn inputs_stand_in_braces() {
    let expected = quote! {
        let (user, order, _) = input;
        ::core::option::Option::Some(::std::format!("{}-{}-{}", user, order.id, order.lines.0))
    };
    assert_eq!(template("{user}-{order.id}-{order.lines.0}").unwrap(), expected.to_string());
    let expected = quote! {
        let (_, _, r#type) = input;
        ::core::option::Option::Some(::std::format!("{{{}}}", r#type))
    };
    assert_eq!(template("{{{ type }}}").unwrap(), expected.to_string());
}

#[test]
fn what_is_no_key() {
    for (text, message) in [
        (
            "order-{oder.id}",
            "`oder` is not an input of this activity; its inputs are `user`, `order`, `r#type`",
        ),
        ("order-{}", "name an input between the braces: `user`, `order`, `r#type`"),
        ("order-{order.id", "`{` without `}`; a brace in the key itself is `{{`"),
        ("order-order.id}", "`}` without `{`; a brace in the key itself is `}}`"),
        ("order-{order.i d}", "`i d` is not a field; write \"order-{order.id}\""),
        (
            "order-{order:?}",
            "`order:?` is not an input of this activity; its inputs are `user`, `order`, `r#type`",
        ),
        ("order", "this key is the same for every call; put an input into it: \"order-{order.id}\""),
        ("", "this key is the same for every call; put an input into it: \"order-{order.id}\""),
    ] {
        assert_eq!(template(text).unwrap_err(), message, "{text}");
    }
}
