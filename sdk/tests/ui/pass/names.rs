//! Names collide as little as names of functions do.

#![deny(warnings)]

mod hotels {
    use steadfast::prelude::*;

    #[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
    #[error("no room")]
    pub struct NoRoom;

    #[activity(compensate = cancel_hotel)]
    pub async fn book_hotel(name: String) -> Result<u64, NoRoom> {
        Ok(name.len() as u64)
    }

    #[activity]
    pub async fn cancel_hotel(step: UndoOf<book_hotel>) -> Result<(), NoRoom> {
        let _ = step.output;
        Ok(())
    }
}

use hotels::*;
use hotels::{book_hotel as hotel, cancel_hotel as cancel};
use steadfast::prelude::*;

// A local of the same name shadows the function.
pub async fn shadowed(ctx: &WorkflowContext) -> Result<u64, WorkflowError> {
    let hotel = hotel(ctx, "Ritz".to_owned()).await?;
    let book_hotel = book_hotel(ctx, "Ritz".to_owned()).compensate(cancel);
    Ok(hotel + book_hotel.await?)
}

// In the body of a function, with a type of that body.
pub async fn in_a_body(ctx: &WorkflowContext) -> Result<u64, WorkflowError> {
    #[derive(Debug, Serialize, Deserialize)]
    struct Local(u64);

    #[activity]
    async fn local(local: Local) -> Result<Local, NoRoom> {
        Ok(local)
    }

    let Local(n) = local(ctx, Local(1)).await?;
    Ok(n)
}

// Named like a package, and like a keyword.
#[activity]
pub async fn serde_json(x: u64) -> Result<u64, NoRoom> {
    Ok(x)
}

#[activity]
pub async fn r#move(r#type: u64) -> Result<u64, NoRoom> {
    Ok(r#type)
}

// Parameters named like those of the generated code, and patterns.
#[activity(idempotency_key = "{scope}-{input}-{state}-{ctx}")]
pub async fn parameters(scope: u64, input: u64, state: u64, ctx: u64) -> Result<u64, NoRoom> {
    Ok(scope + input + state + ctx)
}

#[activity]
pub async fn patterns(mut name: String, (a, b): (u8, u8), _unused: u8, _: u8) -> Result<String, NoRoom> {
    name.push((a + b) as char);
    Ok(name)
}

#[workflow]
pub async fn tour(ctx: WorkflowContext, input: u64, mut name: String) -> Result<u64, WorkflowError> {
    name.push('x');
    Ok(shadowed(&ctx).await? + input + name.len() as u64)
}

// An alias of `Result`.
type Booked<T> = Result<T, NoRoom>;

#[activity]
pub async fn aliased(x: u64) -> Booked<u64> {
    Ok(x)
}

type Ended<T> = Result<T, WorkflowError>;

#[workflow]
pub async fn aliased_workflow(ctx: WorkflowContext) -> Ended<u64> {
    Ok(aliased(&ctx, 1).await?)
}

// A body that needs no engine.
pub async fn bodies() -> Result<u64, NoRoom> {
    let scope = r#move::run(1).await? + parameters::run(1, 2, 3, 4).await?;
    Ok(scope)
}

fn main() {
    let set = activities![hotel, cancel, serde_json, r#move, parameters, patterns, aliased];
    let names: Vec<_> = set.names().collect();
    assert_eq!(
        names,
        ["book_hotel", "cancel_hotel", "serde_json", "move", "parameters", "patterns", "aliased"]
    );
    drop(bodies());
}
