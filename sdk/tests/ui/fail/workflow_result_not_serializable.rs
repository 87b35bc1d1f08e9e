use steadfast::prelude::*;

#[workflow]
pub async fn tour(ctx: WorkflowContext) -> Result<std::rc::Rc<u64>, WorkflowError> {
    let _ = ctx;
    Ok(std::rc::Rc::new(1))
}

fn main() {}
