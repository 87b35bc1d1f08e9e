use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

#[activity]
pub async fn book(name: String) -> Result<u64, NoRoom> {
    let shared = std::rc::Rc::new(name);
    std::future::ready(()).await;
    Ok(shared.len() as u64)
}

fn main() {}
