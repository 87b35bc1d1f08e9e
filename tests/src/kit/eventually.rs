//! Looking again and again.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(2);

/// Looks again and again until something is so, for what announces itself nowhere else: threads, files, processes.
///
/// # Errors
///
/// If it is not so after a while, or looking fails.
pub async fn eventually(
    what: &str,
    mut is_so: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    while !is_so().await? {
        anyhow::ensure!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
