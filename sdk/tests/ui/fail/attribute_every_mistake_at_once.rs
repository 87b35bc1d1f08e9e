use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity(
    queue = "",
    heartbeat = "0s",
    module = bank,
    retry(initial_interval = "0s", backoff_coefficient = 0.5, jitter = 1.5, maximum_atempts = 3),
)]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

fn main() {}
