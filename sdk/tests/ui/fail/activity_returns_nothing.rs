use steadfast::prelude::*;

#[activity]
pub async fn book(name: String) {
    drop(name);
}

pub async fn w(ctx: &WorkflowContext) {
    let _ = book(ctx, "Ritz".to_owned()).await;
}

fn main() {}
