use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext, name: String) -> Result<u64, WorkflowError> {
    let n: u64 = ctx.step("read", async || Ok(name.len() as u64)).await?;
    Ok(n)
}

fn main() {}
