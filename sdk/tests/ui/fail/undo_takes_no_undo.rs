use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity(compensate = cancel)]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

#[activity]
pub async fn cancel(booking: u64) -> Result<(), NoRoom> {
    let _ = booking;
    Ok(())
}

fn main() {}
