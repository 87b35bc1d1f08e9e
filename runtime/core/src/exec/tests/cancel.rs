use super::kit::*;
use crate::failure::Effect;

#[test]
fn a_cancel_first_records_the_cancel_of_everything_open_then_polls() {
    let mut drive = Drive::start(define(|ctx| async move {
        let one = Box::pin(call(&ctx, "one"));
        let nap = Box::pin(sleep(&ctx, 60));
        let two = Box::pin(call(&ctx, "two"));
        let (one, nap, two) = futures::future::join3(one, nap, two).await;
        assert!(nap.unwrap_err().is_cancelled());
        assert!(call(&ctx, "new").await.unwrap_err().is_cancelled());
        one?;
        two
    }));
    drive.cancel().ok(4, 1).cancelled(2, Effect::Unknown);
    drive.check(
        "1 WorkflowStarted
         2 scheduled one
         3 timer due 61
         4 scheduled two
         5 CancelRequested
         6 cancel 2
         7 timer cancelled 3
         8 cancel 4
         9 completed 4
         10 cancelled 2
         11 Cancelled None",
    );
}

#[test]
fn a_scope_is_cancelled_by_itself_and_a_disconnected_one_never() {
    let mut drive = Drive::start(define(|ctx| async move {
        let scope = ctx.child_scope();
        let shielded = ctx.disconnected();
        let inside = Box::pin(call(&scope, "inside"));
        let safe = Box::pin(call(&shielded, "safe"));
        let stop = async {
            call(&ctx, "trigger").await?;
            scope.cancel_scope();
            assert!(scope.is_cancelled() && !ctx.is_cancelled());
            Ok::<_, crate::WorkflowError>(())
        };
        let (inside, safe, stop) = futures::future::join3(inside, safe, stop).await;
        assert!(inside.unwrap_err().is_cancelled());
        assert!(scope.is_cancelled() && !shielded.is_cancelled());
        stop?;
        safe
    }));
    drive.ok(4, 0).cancelled(2, Effect::None).cancel().ok(3, 8);
    drive.check(
        "1 WorkflowStarted
         2 scheduled inside
         3 scheduled safe
         4 scheduled trigger
         5 completed 4
         6 cancel 2
         7 cancelled 2
         8 CancelRequested
         9 completed 3
         10 Completed 8 None",
    );
}

#[test]
fn waiting_for_a_cancel_is_durable_and_ends_with_it() {
    let mut drive = Drive::start(define(|ctx| async move {
        ctx.cancelled().await;
        Ok(call(&ctx.disconnected(), "clean up").await? + 1)
    }));
    drive.cancel().ok(3, 1);
    drive.check(
        "1 WorkflowStarted
         2 CancelRequested
         3 scheduled clean up
         4 completed 3
         5 Completed 2 None",
    );
}
