use quote::{ToTokens as _, quote};
use syn::{Path, Signature, parse_quote};

use super::{Checked, Context, Role, check};
use crate::diagnostics::Diagnostics;

fn checked(signature: &Signature, role: Role) -> (Checked, Vec<String>) {
    let krate: Path = parse_quote!(::steadfast);
    let mut notes = Diagnostics::default();
    let checked = check(signature, role, &krate, &mut notes);
    (checked, notes.messages())
}

fn mistakes(signature: &Signature, role: Role) -> Vec<String> {
    let (checked, messages) = checked(signature, role);
    assert_eq!(checked.is_sound && checked.is_plain, messages.is_empty());
    messages
}

#[test]
fn the_context_is_optional_in_an_activity() {
    for (signature, context, inputs) in [
        (parse_quote!(async fn f() -> Result<(), E>), Context::None, 0),
        (parse_quote!(async fn f(ctx: ActivityContext) -> Result<(), E>), Context::Owned, 0),
        (parse_quote!(async fn f(ctx: &ActivityContext, a: A) -> Result<(), E>), Context::Borrowed, 1),
        (
            parse_quote!(async fn f(&self, ctx: steadfast::ActivityContext, a: A, b: B) -> R),
            Context::Owned,
            2,
        ),
    ] {
        let (checked, messages) = checked(&signature, Role::Activity);
        assert_eq!(messages, [""; 0]);
        assert_eq!((checked.context, checked.inputs.len()), (context, inputs));
    }
}

#[test]
fn inputs_are_bundled() {
    let bundle = |signature: Signature| {
        let (checked, _) = checked(&signature, Role::Activity);
        (checked.bundle().to_string(), checked.bundle_type(&signature.ident).0.to_string())
    };
    assert_eq!(bundle(parse_quote!(async fn f() -> R)), ("()".into(), "()".into()));
    assert_eq!(bundle(parse_quote!(async fn f(mut x: A) -> R)), ("x".into(), "A".into()));
    let pair = bundle(parse_quote!(async fn f(Id(n): A, _: B) -> R));
    assert_eq!(pair, (quote!((input0, input1)).to_string(), quote!((A, B)).to_string()));
}

#[test]
fn usual_types_are_no_results() {
    for signature in [
        parse_quote!(async fn f() -> u64),
        parse_quote!(async fn f() -> ()),
        parse_quote!(async fn f() -> std::vec::Vec<u8>),
    ] {
        assert_eq!(mistakes(&signature, Role::Activity), ["an activity returns `Result<Output, Error>`"]);
    }
}

#[test]
fn a_result_is_taken_apart_where_it_is_spelled_out() {
    let outcome = |signature: Signature| {
        let outcome = checked(&signature, Role::Activity).0.outcome.unwrap();
        (outcome.output.to_string(), outcome.error.to_string())
    };
    assert_eq!(outcome(parse_quote!(async fn f() -> Result<A, B>)), ("A".into(), "B".into()));
    assert_eq!(outcome(parse_quote!(async fn f() -> std::result::Result<A, B>)), ("A".into(), "B".into()));
    let (output, error) = outcome(parse_quote!(async fn f() -> BankResult<A>));
    assert_eq!(output, quote!(<BankResult<A> as ::steadfast::__private::IsResult>::Output).to_string());
    assert_eq!(error, quote!(<BankResult<A> as ::steadfast::__private::IsResult>::Error).to_string());
}

#[test]
fn every_mistake_is_told_at_once() {
    let signature = parse_quote!(fn f<T: Clone>(x: &str, y: Option<impl Into<String>>) where T: Copy);
    assert_eq!(
        mistakes(&signature, Role::Activity),
        [
            "an activity is an `async fn`",
            "an activity is recorded by name, so it cannot be generic; write one function per type",
            "an activity has no type parameters, so it has no `where` clause",
            "inputs and results are stored in the history, so they must be owned: write `String` for `&str`, \
             `Vec<T>` for `&[T]`",
            "an activity is recorded by name, so its types are named: no `impl Trait`",
            "an activity returns `Result<Output, Error>`",
        ]
    );
}

#[test]
fn a_workflow_owns_its_context() {
    assert_eq!(
        mistakes(&parse_quote!(async fn w(ctx: WorkflowContext) -> Result<(), E>), Role::Workflow),
        [""; 0]
    );
    for (signature, message) in [
        (
            parse_quote!(async fn w(a: A) -> Result<(), E>),
            "the first parameter of a workflow is `ctx: WorkflowContext`",
        ),
        (
            parse_quote!(async fn w(ctx: &WorkflowContext) -> Result<(), E>),
            "a workflow owns its context: `ctx: WorkflowContext`",
        ),
        (
            parse_quote!(async fn w(a: A, ctx: WorkflowContext) -> Result<(), E>),
            "the context is the first parameter: `ctx: WorkflowContext`",
        ),
        (
            parse_quote!(async fn w(ctx: WorkflowContext)),
            "a workflow returns `Result<Output, WorkflowError>`",
        ),
    ] {
        assert_eq!(mistakes(&signature, Role::Workflow), [message], "{}", signature.to_token_stream());
    }
}

#[test]
fn the_other_kinds_context_is_recognised() {
    assert_eq!(
        mistakes(&parse_quote!(async fn f(ctx: &WorkflowContext) -> Result<(), E>), Role::Activity),
        ["an activity runs outside the workflow; its context is `ctx: ActivityContext`"]
    );
    assert_eq!(
        mistakes(&parse_quote!(async fn w(ctx: WorkflowContext, c: ActivityContext) -> R), Role::Workflow),
        ["a workflow has no `ActivityContext`; its context is `ctx: WorkflowContext`"]
    );
}

#[test]
fn there_is_a_most_of_inputs() {
    let eight = parse_quote!(async fn f(a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A) -> R);
    assert_eq!(mistakes(&eight, Role::Activity), [""; 0]);
    let nine = parse_quote!(async fn f(a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A, i: A) -> R);
    assert_eq!(mistakes(&nine, Role::Activity), ["an activity has at most 8 inputs; put them into a struct"]);
}

#[test]
fn only_plain_functions() {
    let odd = parse_quote!(async unsafe extern "C" fn f() -> R);
    assert_eq!(mistakes(&odd, Role::Activity), ["an activity is a plain `async fn`"; 2]);
}
