use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[derive(Serialize, Deserialize)]
struct Private(u64);

#[activity]
pub async fn book(name: Private) -> Result<u64, NoRoom> {
    Ok(name.0)
}

fn main() {}
