use steadfast::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("busy")]
    #[failure(non_retryable, retry_after = wait)]
    Busy { wait: Duration },
}

fn main() {}
