use steadfast::prelude::*;

#[activity]
pub async fn ping() -> Result<(), AnyFailure> {
    Ok(())
}

pub fn serve(engine: &Engine) {
    let _ = engine.worker("q").activities(ping);
}

fn main() {}
