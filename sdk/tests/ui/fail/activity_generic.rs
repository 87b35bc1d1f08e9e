use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book<T: Serialize>(name: T) -> Result<(), NoRoom> {
    drop(name);
    Ok(())
}

fn main() {}
