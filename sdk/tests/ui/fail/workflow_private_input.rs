use steadfast::prelude::*;

#[derive(Serialize, Deserialize)]
struct Private(u64);

#[workflow]
pub async fn tour(ctx: WorkflowContext, name: Private) -> Result<u64, WorkflowError> {
    let _ = ctx;
    Ok(name.0)
}

fn main() {}
