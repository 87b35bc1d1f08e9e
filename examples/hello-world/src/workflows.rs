//! What must survive a crash.

use steadfast::prelude::*;

use crate::activities::greet;

/// Greets everybody, one after the other.
#[workflow]
pub async fn greet_all(ctx: WorkflowContext, names: Vec<String>) -> Result<Vec<String>, WorkflowError> {
    let mut greetings = Vec::new();
    for name in names {
        greetings.push(greet(&ctx, name).await?);
    }
    Ok(greetings)
}
