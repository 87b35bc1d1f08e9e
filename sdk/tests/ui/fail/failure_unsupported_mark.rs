use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("charged, unbooked")]
    #[failure(compensate)]
    Unbooked,
}

fn main() {}
