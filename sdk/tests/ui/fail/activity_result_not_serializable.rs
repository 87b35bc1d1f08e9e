use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

pub struct Plain(pub u8);

#[activity]
pub async fn book(name: String) -> Result<Plain, NoRoom> {
    drop(name);
    Ok(Plain(1))
}

fn main() {}
