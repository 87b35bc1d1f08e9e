use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book_hotel(name: String, nights: u32) -> Result<u64, NoRoom> {
    let _ = (name, nights);
    Ok(17)
}

#[workflow]
pub async fn tour(ctx: WorkflowContext, legs: Vec<String>) -> Result<(), WorkflowError> {
    let legs: std::collections::HashSet<String> = legs.into_iter().collect();
    for leg in &legs {
        book_hotel(&ctx, leg.clone(), 1).await?;
    }
    Ok(())
}

fn main() {}
