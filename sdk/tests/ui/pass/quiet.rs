//! Generated code raises no warnings in a program that denies all of them.

#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub, rust_2018_idioms, unused)]

use steadfast::prelude::*;

/// An error.
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
pub struct NoRoom;

/// Books.
#[activity(compensate = cancel)]
async fn book(_a: u8, _b: u8, _c: u8, _d: u8, _e: u8, _f: u8, _g: u8, _h: u8) -> Result<(), NoRoom> {
    Ok(())
}

#[activity]
async fn cancel(step: UndoOf<book>) -> Result<(), NoRoom> {
    let _ = step;
    Ok(())
}

/// Is only ever registered.
#[deprecated = "use `book`"]
#[activity]
async fn old() -> Result<(), NoRoom> {
    Ok(())
}

#[workflow]
async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(book(&ctx, 1, 2, 3, 4, 5, 6, 7, 8).await?)
}

fn main() {
    let _ = activities![cancel, old];
    let _ = <tour as steadfast::Workflow>::NAME;
}
