use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(&self, name: String) -> Result<u64, NoRoom> {
    Ok(name.len() as u64)
}

fn main() {}
