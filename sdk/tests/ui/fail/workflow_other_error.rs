use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[workflow]
pub async fn tour(ctx: WorkflowContext, name: String) -> Result<u64, NoRoom> {
    let _ = (ctx, name);
    Err(NoRoom)
}

fn main() {}
