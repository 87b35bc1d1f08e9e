use steadfast::prelude::*;

#[activity(circuit_breaker(successes = 2))]
pub async fn never_opens(region: String) -> Result<String, AnyFailure> {
    Ok(region)
}

#[activity(circuit_breaker(failures = 0, open = "0s", sucesses = 2))]
pub async fn no_numbers(region: String) -> Result<String, AnyFailure> {
    Ok(region)
}

#[activity(circuit_breaker(failures = 5, key = "{zone}"))]
pub async fn unknown_input(region: String) -> Result<String, AnyFailure> {
    Ok(region)
}

#[activity(circuit_breaker(failures = 5, key = "always the same"))]
pub async fn one_key(region: String) -> Result<String, AnyFailure> {
    Ok(region)
}

fn main() {}
