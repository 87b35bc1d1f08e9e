use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut kept = None;
    ctx.saga(async |saga| {
        kept = Some(saga);
        Ok(1)
    })
    .await
}

fn main() {}
