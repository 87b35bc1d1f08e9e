use std::time::Duration;

use quote::quote;

use crate::activity::arguments::{Arguments, BlockArguments};
use crate::diagnostics::Diagnostics;

fn mistakes(tokens: proc_macro2::TokenStream) -> Vec<String> {
    let mut notes = Diagnostics::default();
    Arguments::parse(tokens, &mut notes);
    notes.messages()
}

#[test]
fn all_keys() {
    let mut notes = Diagnostics::default();
    let arguments = Arguments::parse(
        quote! {
            name = "book-hotel", queue = "slow", start_to_close = "15s", schedule_to_start = "1m",
            schedule_to_close = "2h", heartbeat = "500ms", cancel_grace = "0s", compensate = bank::refund,
            idempotency_key = "order-{id}", crate = renamed,
            retry(
                initial_interval = "1s", backoff_coefficient = 1.5, maximum_interval = "1m", maximum_attempts = 5,
                jitter = 0, maximum_retry_after = "1d", non_retryable = ["A", "B"],
            ),
            circuit_breaker(failures = 5, successes = 2, open = "30s", key = "{region}"),
        },
        &mut notes,
    );
    assert_eq!(notes.messages(), [""; 0]);
    assert_eq!(arguments.name.unwrap().value(), "book-hotel");
    assert_eq!(arguments.queue.unwrap().value(), "slow");
    assert_eq!(arguments.start_to_close, Some(Duration::from_secs(15)));
    assert_eq!(arguments.schedule_to_start, Some(Duration::from_secs(60)));
    assert_eq!(arguments.schedule_to_close, Some(Duration::from_secs(7_200)));
    assert_eq!(arguments.heartbeat, Some(Duration::from_millis(500)));
    assert_eq!(arguments.cancel_grace, Some(Duration::ZERO));
    assert!(arguments.circuit_breaker.is_some());
    assert!(arguments.retry.is_some() && arguments.compensate.is_some() && arguments.krate.is_some());
}

#[test]
fn every_mistake_is_told_at_once() {
    let tokens = quote! {
        start_to_closed = "15s",
        start_to_close = "15 parsecs",
        heartbeat = "0s",
        queue = 3,
        compensate = "refund",
        module = bank,
        retry(
            initial_interval = "0s", backoff_coefficient = 0.5, jitter = 1.5, maximum_attempts = -1,
            maximum_atempts = 3, non_retryable = A,
        ),
    };
    assert_eq!(
        mistakes(tokens),
        [
            "unknown key `start_to_closed`; did you mean `start_to_close`?",
            "`15 parsecs` is not a duration; write \"500ms\", \"1.5s\", \"10m\", \"2h\" or \"3d\"",
            "`heartbeat` must be longer than zero; leave it out to have no such limit",
            "`queue` takes a text: `queue = \"payments\"`",
            "`compensate` takes the name of an activity: `compensate = cancel_hotel`",
            "`module` belongs on the impl block, not on an activity",
            "`initial_interval` must be longer than zero; leave it out to have no such limit",
            "`backoff_coefficient` is a number of at least 1",
            "`jitter` is a number from 0 to 1",
            "`maximum_attempts` takes a whole number from 0 to 4294967295: `maximum_attempts = 5`",
            "unknown key `maximum_atempts`; did you mean `maximum_attempts`?",
            "`non_retryable` takes a list of texts: `non_retryable = [\"BankError\"]`",
        ]
    );
}

#[test]
fn mistakes_in_a_circuit_breaker() {
    let needs = "`circuit_breaker` needs `failures`: how many in a row open it, say `failures = 5`";
    assert_eq!(mistakes(quote!(circuit_breaker(open = "30s"))), [needs]);
    assert_eq!(
        mistakes(quote!(circuit_breaker(failures = 0, successes = -1, open = "0s", key = 3, opens = "1s"))),
        [
            "`failures` must be at least 1",
            "`successes` takes a whole number from 0 to 4294967295: `successes = 2`",
            "`open` must be longer than zero; leave it out to have no such limit",
            "`key` takes a text: `key = \"{region}\"`",
            "unknown key `opens`; did you mean `open`?",
        ]
    );
    assert_eq!(
        mistakes(quote!(circuit_breaker)),
        ["`circuit_breaker` takes a list: `circuit_breaker(failures = 5, open = \"30s\")`"]
    );
}

#[test]
fn keys_of_a_block() {
    let mut notes = Diagnostics::default();
    let arguments = BlockArguments::parse(quote!(module = bank, crate = a::b), &mut notes);
    assert!(arguments.module.unwrap() == "bank" && arguments.krate.is_some());
    BlockArguments::parse(quote!(modul = bank, queue = "slow", crate = "a"), &mut notes);
    assert_eq!(
        notes.messages(),
        [
            "unknown key `modul`; did you mean `module`?",
            "`queue` belongs on an activity of the block, not on the block",
            "`crate` takes the path of the package: `crate = my_steadfast`",
        ]
    );
}
