use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

pub struct Payments;

#[activity]
impl Payments {
    #[activity]
    pub async fn charge(cents: u64) -> Result<u64, NoRoom> {
        Ok(cents)
    }
}

pub async fn w(ctx: &WorkflowContext) {
    let _ = payments::charge(ctx, 5).await;
}

fn main() {}
