//! What touches the outside world.

use steadfast::prelude::*;

/// Makes a greeting. It runs at least once, and its result is recorded.
#[activity(start_to_close = "5s")]
pub async fn greet(name: String) -> Result<String, AnyFailure> {
    Ok(format!("Hello, {name}!"))
}
