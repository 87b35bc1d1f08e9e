use steadfast::prelude::*;

#[activity]
pub async fn ping() -> Result<(), AnyFailure> {
    Ok(())
}

pub fn start(client: &Client) {
    let _ = client.start(ping, ());
}

fn main() {}
