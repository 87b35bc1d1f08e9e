use steadfast::prelude::*;

#[workflow]
pub async fn tour(ctx: WorkflowContext, days: u32) -> Result<u32, WorkflowError> {
    let _ = ctx;
    Ok(days)
}

pub fn start(client: &Client) {
    let _ = client.start(tour, "seven");
}

fn main() {}
