use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

fn main() {}
