//! What the tests of whole engines are written with.
//!
//! A [`Bed`] is an engine on a store of some [`StoreKind`], with a clock that stands still until the test moves it. A
//! [`Gate`] stands between engine and store: it writes down every commit, and can cut the engine off at any of them,
//! hold commits back or delay them. [`Bed::kill_and_restart`] is a kill without a process: from one moment on nothing
//! of the old engine reaches the store or the [`Ledger`], the outside service of the tests, any more.
//!
//! [`kill_at_every_commit`] does that for a whole run; [`Bed::check_closed`] checks what holds of every closed one.
//!
//! A [`Crew`] is several engines on one store: their clocks may disagree, and each may stand still for a while.
//!
//! [`on_stores!`](crate::on_stores) makes one test a store of a case:
//!
//! ```
//! # use steadfast::prelude::*;
//! use steadfast_tests::kit::{Bed, StoreKind, TestResult, story};
//!
//! # #[workflow] async fn nap(ctx: WorkflowContext) -> Result<(), WorkflowError> { Ok(ctx.sleep(secs(1)).await?) }
//! async fn a_timer_fires_after_a_kill(kind: StoreKind) -> TestResult {
//!     let mut bed = Bed::new(kind).await?;
//!     bed.serve(|worker, _ledger| worker.workflow(nap)).await?;
//!     bed.start(nap, "n", ()).await?;
//!     bed.kill_and_restart().await?;
//!     bed.advance(secs(1));
//!     bed.handle(nap, "n").result().await?;
//!     let events = bed.check_closed(nap, "n").await?;
//!     assert_eq!(story(&events), ["WorkflowStarted", "TimerStarted", "TimerFired", "WorkflowCompleted"]);
//!     Ok(())
//! }
//!
//! steadfast_tests::on_stores!(a_timer_fires_after_a_kill);
//! # steadfast_tests::kit::run(StoreKind::Memory, a_timer_fires_after_a_kill).unwrap();
//! ```

mod bed;
mod board;
mod bodies;
mod case;
mod closed;
mod crew;
mod door;
mod eventually;
mod gate;
mod ledger;
mod life;
mod place;
mod story;
mod sweep;

pub use bed::{Bed, QUEUE};
pub use bodies::Bodies;
pub use case::{StoreKind, TestResult, run};
pub use crew::{Crew, Skew};
pub use door::Door;
pub use eventually::eventually;
pub use gate::{Claim, ClaimAnswer, Commit, Gate};
pub use ledger::{Ledger, LedgerCall, LedgerEffect, Reply, ServiceError};
pub use life::Life;
pub use place::Place;
pub use story::{assert_in_order, is_marker, story, story_without_markers};
pub use sweep::kill_at_every_commit;
