use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[derive(Serialize, Deserialize)]
pub struct Order {
    pub number: u64,
}

#[activity(idempotency_key = "order-{order}")]
pub async fn book(order: Order) -> Result<u64, NoRoom> {
    Ok(order.number)
}

fn main() {}
