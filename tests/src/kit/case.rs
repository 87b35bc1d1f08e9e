//! One test a store for each case.

use std::time::Duration;

/// How long a case may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a case returns.
pub type TestResult<T = ()> = anyhow::Result<T>;

/// The stores on which cases run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// The store in memory.
    Memory,
    /// A directory.
    Sled,
}

/// Runs a case on a store, on a runtime of its own. What [`on_stores!`](crate::on_stores) calls.
///
/// # Errors
///
/// What the case returns, or that it hangs.
pub fn run(kind: StoreKind, case: impl AsyncFnOnce(StoreKind) -> TestResult) -> TestResult {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(async { tokio::time::timeout(PATIENCE, case(kind)).await });
    runtime.shutdown_background();
    ended.unwrap_or_else(|_| Err(anyhow::anyhow!("the case did not end within {PATIENCE:?}")))
}

/// Makes tests of cases, functions `async fn(StoreKind) -> TestResult`: for each a module of its name with one test a
/// store, `memory` and `sled`.
#[macro_export]
macro_rules! on_stores {
    ($($case:ident),+ $(,)?) => {$(
        mod $case {
            use $crate::kit::{StoreKind, TestResult, run};

            #[test]
            fn memory() -> TestResult {
                run(StoreKind::Memory, super::$case)
            }

            #[test]
            fn sled() -> TestResult {
                run(StoreKind::Sled, super::$case)
            }
        }
    )+};
}
