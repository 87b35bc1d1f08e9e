//! Runs one workflow in this process and prints what it returned.

use hello_world::{activities::greet, workflows::greet_all};
use steadfast::prelude::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::open("./hello-world.store").await?;
    engine.worker("hello").workflow(greet_all).activity(greet).start().await?;
    let names = vec!["Ada".to_owned(), "Grace".to_owned()];
    let handle = engine.client().start(greet_all, names).queue("hello").await?;
    println!("{}", handle.result().await?.join("\n"));
    engine.shutdown().await;
    Ok(())
}
