//! The sled store passes the suite of every store.

use steadfast_store::conformance::Harness;
use steadfast_store::conformance::model::compare;

#[cfg(test)]
mod support;

fn sled() -> Box<dyn Harness> {
    Box::new(support::Sled::new())
}

steadfast_store::store_conformance!(sled);

#[test]
fn it_agrees_with_the_model_for_more_seeds() {
    for seed in 100..102 {
        compare(&mut *sled(), seed);
    }
}
