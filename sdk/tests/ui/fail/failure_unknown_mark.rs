use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("declined")]
    #[failure(nonretryable)]
    Declined,
}

fn main() {}
