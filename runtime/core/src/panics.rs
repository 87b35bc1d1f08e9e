//! The text of a panic of user code, and its end.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::limits::clip;

/// The text of a caught panic that ends here, bounded by [`clip`]. The payload is dropped; a panic of its own
/// destructor ends here too.
pub fn end_panic(payload: Box<dyn Any + Send>) -> String {
    let message = panic_message(&*payload);
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Nobody knows for how long that would go on.
        Box::leak(again);
    }
    message
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        clip((*text).to_owned())
    } else if let Some(text) = payload.downcast_ref::<String>() {
        clip(text.clone())
    } else {
        "non-text payload".to_owned()
    }
}
