use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let shared = std::rc::Rc::new(1);
    let n: u64 = ctx.step("read", async move || Ok(*shared)).await?;
    Ok(n)
}

fn main() {}
