//! The example as a test: on a store in memory.

use hello_world::{activities::greet, workflows::greet_all};
use steadfast::prelude::*;

#[tokio::test]
async fn everybody_is_greeted_in_order() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::open("memory:").await?;
    engine.worker("hello").workflow(greet_all).activity(greet).start().await?;
    let handle = engine.client().start(greet_all, vec!["Ada".into(), "Bob".into()]).queue("hello").await?;
    assert_eq!(handle.result().await?, ["Hello, Ada!", "Hello, Bob!"]);
    Ok(())
}
