use steadfast::prelude::*;

#[workflow]
pub async fn tour(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let began = std::time::Instant::now();
    ctx.sleep(secs(1)).await?;
    Ok(began.elapsed().as_secs())
}

fn main() {}
