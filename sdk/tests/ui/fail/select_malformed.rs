use steadfast::prelude::*;

pub async fn w(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    select! {
        ctx.sleep(secs(1)) => {}
    }
    Ok(())
}

fn main() {}
