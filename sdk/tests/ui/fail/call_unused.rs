#![deny(unused_must_use)]
use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book_hotel(name: String, nights: u32) -> Result<u64, NoRoom> {
    let _ = (name, nights);
    Ok(17)
}

pub async fn w(ctx: &WorkflowContext) -> Result<(), WorkflowError> {
    book_hotel(ctx, "Ritz".to_owned(), 2);
    ctx.sleep(secs(1));
    ctx.saga(async |_saga| Ok(()));
    Ok(())
}

fn main() {}
