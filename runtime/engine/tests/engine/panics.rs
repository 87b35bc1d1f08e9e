//! Panics in bodies end their attempt and nothing else.

use steadfast_core::{AttemptError, CallError, RetryPolicy, WorkflowError};

use crate::kit::*;

#[test]
fn a_panic_is_a_failed_attempt_with_its_message() {
    let kit = Kit::new();
    let cases: [(&str, steadfast_engine::ActivityBody); 4] = [
        ("boom", body(|_, _| async { panic!("boom") })),
        ("no text", body(|_, _| async { std::panic::panic_any(7_u8) })),
        ("while it is made", std::sync::Arc::new(|_, _| panic!("before the future"))),
        (
            "in a task",
            body(|_, _| async {
                tokio::spawn(async { panic!("in a task") }).await.unwrap();
                Ok(json(()))
            }),
        ),
    ];
    let code = workflow("calls", |ctx, input| async move {
        let name: String = input.decode().unwrap();
        call_with(&ctx, &name, input, retry(RetryPolicy::once())).await
    });
    let beside = workflow("beside", |ctx, input| async move { call(&ctx, "echo", input).await });
    let mut worker = kit.worker().workflow(code).workflow(beside).activity(activity("echo"), echo());
    for (name, body) in cases.clone() {
        worker = worker.activity(activity(name), body);
    }
    worker.start().unwrap();
    for (name, _) in &cases {
        kit.start("calls", name, json(name));
    }
    for index in 0..20 {
        kit.start("beside", &format!("beside-{index}"), json(index));
    }
    for index in 0..20 {
        assert_eq!(kit.result(&format!("beside-{index}")).result().unwrap(), json(index));
    }
    for (name, _) in &cases {
        let outcome = kit.result(name);
        let Err(WorkflowError::Activity { error: CallError::Exhausted { last, .. }, .. }) = outcome.result()
        else {
            panic!("{outcome:?}")
        };
        let AttemptError::Panic { message } = last else { panic!("{last:?}") };
        let wanted = match *name {
            "no text" => "non-text payload",
            "while it is made" => "before the future",
            other => other,
        };
        assert!(message.contains(wanted), "{message}");
    }
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
}
