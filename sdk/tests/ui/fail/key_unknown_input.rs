use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity(idempotency_key = "order-{order}")]
pub async fn book(user: String, price: u64) -> Result<u64, NoRoom> {
    drop(user);
    Ok(price)
}

fn main() {}
