use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(name: &str) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

pub async fn w(ctx: &WorkflowContext) {
    let _ = book(ctx, "Ritz").await;
}

fn main() {}
