use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    ctx.saga(async |_saga| {
        let n: u64 = "many".parse()?;
        Ok(n)
    })
    .await
}

fn main() {}
