use steadfast::prelude::*;

#[activity]
pub async fn book(name: String) -> Result<u64, std::io::Error> {
    Ok(name.len() as u64)
}

fn main() {}
