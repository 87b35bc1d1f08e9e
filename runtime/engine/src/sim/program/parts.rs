//! What the interpreter is put together from: mixing of values, and a race that drops losers in the order written.

use std::future::{Future, poll_fn};
use std::task::Poll;

/// Two values as one that depends on both.
pub(super) fn mix(one: u64, other: u64) -> u64 {
    // The finalizer of SplitMix64.
    let mut mixed = one.rotate_left(29) ^ other.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A text as a value.
pub(super) fn digest(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash, u64::from(byte)))
}

/// The first of the futures that ends, and its place; those before it are polled first. The others are dropped then.
pub(super) async fn first<F: Future + Unpin>(mut futures: Vec<F>) -> (usize, F::Output) {
    let won = poll_fn(|cx| {
        for (index, future) in futures.iter_mut().enumerate() {
            if let Poll::Ready(output) = std::pin::Pin::new(future).poll(cx) {
                return Poll::Ready((index, output));
            }
        }
        Poll::Pending
    })
    .await;
    drop(futures);
    won
}
