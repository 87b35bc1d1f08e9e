use steadfast::prelude::*;

#[activity]
pub async fn book(name: String) -> u64 {
    name.len() as u64
}

fn main() {}
