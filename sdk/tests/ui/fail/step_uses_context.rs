use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let inner = ctx.clone();
    let n: u64 = ctx.step("read", async move || Ok(inner.random())).await?;
    Ok(n)
}

fn main() {}
