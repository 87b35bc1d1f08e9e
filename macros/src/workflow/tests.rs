use proc_macro2::TokenStream;
use quote::quote;

use super::arguments::Arguments;
use super::expand;
use crate::diagnostics::Diagnostics;

fn expansion(attribute: TokenStream, item: &TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(expand(attribute, item)).unwrap())
}

#[test]
fn of_a_function() {
    insta::assert_snapshot!(expansion(
        quote!(),
        &quote! {
            /// Books a tour.
            pub async fn book_tour(ctx: WorkflowContext, request: TourRequest) -> Result<Tour, WorkflowError> {
                ctx.saga(async |saga| book(saga, request).await).await
            }
        }
    ));
}

#[test]
fn of_a_function_with_every_key() {
    insta::assert_snapshot!(expansion(
        quote!(name = "grand-tour", version = 3, allow(clock), crate = renamed),
        &quote! {
            async fn grand(ctx: WorkflowContext, a: A, Pair(b, c): B) -> WorkflowResult<()> {
                let at = std::time::Instant::now();
                Ok(())
            }
        }
    ));
}

#[test]
fn after_mistakes() {
    insta::assert_snapshot!(expansion(
        quote!(version = "2"),
        &quote!(
            async fn w<T>(ctx: WorkflowContext, x: &str) {
                tokio::spawn(async {});
            }
        )
    ));
}

#[test]
fn every_mistake_is_told_at_once() {
    let mut notes = Diagnostics::default();
    let tokens = quote!(nam = "x", name = "", version = 1.5, allow(clok, hash = 1, weather));
    Arguments::parse(tokens, &mut notes);
    assert_eq!(
        notes.messages(),
        [
            "unknown key `nam`; did you mean `name`?",
            "`name` is empty",
            "`version` takes a whole number from 0 to 4294967295: `version = 2`",
            "unknown class `clok`; did you mean `clock`?",
            "`hash` takes no value",
            "unknown class `weather`; known are `clock`, `random`, `thread`, `spawn`, `tokio`, `env`, `process`, `fs`, `net`, `hash`",
        ]
    );
}

#[test]
fn a_method_is_no_workflow() {
    let text = expand(
        quote!(),
        &quote!(
            async fn w(&self) -> Result<(), WorkflowError> {
                Ok(())
            }
        ),
    )
    .to_string();
    assert!(text.contains("a workflow is a function without `self`"), "{text}");
}
