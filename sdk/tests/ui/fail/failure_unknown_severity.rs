use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("charged, unbooked")]
    #[failure(compensate, severity = "alrt")]
    Unbooked,
    #[error("booked twice")]
    #[failure(severity = "alert")]
    Twice,
}

fn main() {}
