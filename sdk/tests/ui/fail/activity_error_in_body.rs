use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    let nights: u32 = name.len();
    Ok(u64::from(nights))
}

fn main() {}
