use steadfast::prelude::*;

#[workflow]
pub async fn tour(name: String) -> Result<u64, WorkflowError> {
    Ok(name.len() as u64)
}

fn main() {}
