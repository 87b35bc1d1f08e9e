use steadfast::prelude::*;

#[workflow(allow(clok))]
pub async fn tour(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    Ok(ctx.random())
}

fn main() {}
