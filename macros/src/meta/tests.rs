use quote::quote;

use super::{Entry, entries};
use crate::diagnostics::Diagnostics;

fn one(tokens: proc_macro2::TokenStream) -> Entry {
    let mut diagnostics = Diagnostics::default();
    let mut found = entries(tokens, &mut diagnostics);
    assert!(diagnostics.messages().is_empty());
    found.remove(0)
}

fn message<T: std::fmt::Debug>(result: syn::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn keys_are_words_and_stand_once() {
    let mut diagnostics = Diagnostics::default();
    let found = entries(quote!(name = "a", a::b = 1, name = "b", crate = c), &mut diagnostics);
    let keys: Vec<_> = found.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["name", "crate"]);
    assert_eq!(diagnostics.messages(), ["a key is one word", "`name` is given twice"]);
}

#[test]
fn a_syntax_error_is_one_mistake() {
    let mut diagnostics = Diagnostics::default();
    assert!(entries(quote!(name == "a", queue = "b"), &mut diagnostics).is_empty());
    assert_eq!(diagnostics.count(), 1);
}

#[test]
fn flags() {
    assert!(one(quote!(no_effect)).flag().is_ok());
    assert_eq!(message(one(quote!(no_effect = 1)).flag()), "`no_effect` takes no value");
}

#[test]
fn texts() {
    assert_eq!(one(quote!(queue = "slow")).text("\"a\"").unwrap().value(), "slow");
    assert_eq!(message(one(quote!(queue)).text("\"slow\"")), "`queue` takes a value: `queue = \"slow\"`");
    assert_eq!(message(one(quote!(queue = 1)).text("\"slow\"")), "`queue` takes a text: `queue = \"slow\"`");
    assert_eq!(message(one(quote!(queue = " ")).name("\"slow\"")), "`queue` is empty");
    assert_eq!(message(one(quote!(queue = "a\0")).name("\"slow\"")), "`queue` contains a zero character");
    let long = "x".repeat(1_001);
    let problem = message(one(quote!(queue = #long)).name("\"slow\""));
    assert_eq!(problem, "`queue` is 1001 bytes long, 1000 is the most");
}

#[test]
fn numbers() {
    assert_eq!(one(quote!(version = 3)).whole("2").unwrap(), 3);
    assert_eq!(
        message(one(quote!(version = -3)).whole("2")),
        "`version` takes a whole number from 0 to 4294967295: `version = 2`"
    );
    let too_large = message(one(quote!(version = 4_294_967_296)).whole("2"));
    assert_eq!(too_large, "`version` takes a whole number from 0 to 4294967295: `version = 2`");
    let from_one = |tokens| one(tokens).number("from 1", |number| number >= 1.0);
    for (tokens, expected) in [(quote!(c = 2), 2.0), (quote!(c = 1.5), 1.5)] {
        assert!((from_one(tokens).unwrap() - expected).abs() < f64::EPSILON);
    }
    for tokens in [quote!(c = 0.9), quote!(c = -2.0), quote!(c = "2")] {
        assert_eq!(message(from_one(tokens)), "`c` is a number from 1");
    }
}

#[test]
fn lists_and_paths() {
    let names = one(quote!(non_retryable = ["A", "B"])).texts("[\"A\"]").unwrap();
    assert_eq!(names.iter().map(syn::LitStr::value).collect::<Vec<_>>(), ["A", "B"]);
    let expected = "`non_retryable` takes a list of texts: `non_retryable = [\"A\"]`";
    assert_eq!(message(one(quote!(non_retryable = "A")).texts("[\"A\"]")), expected);
    assert_eq!(message(one(quote!(non_retryable = [A])).texts("[\"A\"]")), expected);
    let undo = one(quote!(compensate = || 1));
    assert_eq!(
        message(undo.path("the name of an activity", "cancel_hotel")),
        "`compensate` takes the name of an activity: `compensate = cancel_hotel`"
    );
    assert!(one(quote!(module = a::b)).ident("a name", "bank").is_err());
    assert_eq!(message(one(quote!(retry = 1)).list("..")), "`retry` takes a list: `retry(..)`");
}
