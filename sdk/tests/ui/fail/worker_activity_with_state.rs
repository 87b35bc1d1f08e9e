use steadfast::prelude::*;

pub struct Payments;

#[activity]
impl Payments {
    #[activity]
    pub async fn charge(&self, cents: u64) -> Result<u64, AnyFailure> {
        Ok(cents)
    }
}

pub fn serve(engine: &Engine) {
    let _ = engine.worker("q").activity(payments::charge);
}

fn main() {}
