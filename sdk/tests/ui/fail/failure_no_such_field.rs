use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("busy")]
    #[failure(retry_after = wait)]
    Busy { wiat: Duration },
}

fn main() {}
