use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book_hotel(name: String, nights: u32) -> Result<u64, NoRoom> {
    let _ = (name, nights);
    Ok(17)
}

fn cancel(name: String) {
    drop(name);
}

pub async fn w(saga: &Saga) -> Result<(), WorkflowError> {
    book_hotel(saga, "Ritz".to_owned(), 2).compensate(cancel).await?;
    Ok(())
}

fn main() {}
