use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity(start_to_close = "15 parsecs")]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

fn main() {}
