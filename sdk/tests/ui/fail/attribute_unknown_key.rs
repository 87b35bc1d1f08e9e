use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity(start_to_closed = "15s")]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

pub async fn w(ctx: &WorkflowContext) -> Result<u64, WorkflowError> {
    Ok(book(ctx, "Ritz".to_owned()).await?)
}

fn main() {}
