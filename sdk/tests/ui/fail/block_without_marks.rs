use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

pub struct Payments;

#[activity]
impl Payments {
    pub async fn charge(&self, cents: u64) -> Result<u64, NoRoom> {
        Ok(cents)
    }
}

fn main() {}
