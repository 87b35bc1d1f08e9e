use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book_hotel(name: String, nights: u32) -> Result<u64, NoRoom> {
    let _ = (name, nights);
    Ok(17)
}

pub async fn w() -> Result<(), WorkflowError> {
    book_hotel(&1, "Ritz".to_owned(), 2).await?;
    Ok(())
}

fn main() {}
