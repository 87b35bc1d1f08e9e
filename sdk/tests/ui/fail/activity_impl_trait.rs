use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(name: impl Into<String> + Send) -> Result<(), NoRoom> {
    drop(name.into());
    Ok(())
}

fn main() {}
