use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(ctx: &WorkflowContext, name: String) -> Result<u64, NoRoom> {
    let _ = ctx;
    Ok(name.len() as u64)
}

fn main() {}
