use steadfast::prelude::*;

#[workflow]
pub async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    tokio::spawn(async {});
    let _ = join!(tokio::time::sleep(secs(1)), ctx.sleep(secs(2)));
    Ok(())
}

fn main() {}
