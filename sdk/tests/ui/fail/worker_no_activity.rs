use steadfast::prelude::*;

fn plain(name: String) {
    drop(name);
}

pub fn serve(engine: &Engine) {
    let _ = engine.worker("q").activity(plain);
}

fn main() {}
