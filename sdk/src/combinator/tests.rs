//! The combinators by themselves, with channels for what a run would wake.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures::channel::oneshot;

use super::{join_all, try_join_all};
use crate::{AnyFailure, WorkflowError};

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// `count` futures that note each of their polls, with what completes them.
fn noted(
    count: usize,
    polls: &Rc<RefCell<Vec<usize>>>,
) -> (Vec<oneshot::Sender<u64>>, Vec<impl Future<Output = u64> + use<>>) {
    (0..count)
        .map(|child| {
            let (sender, mut receiver) = oneshot::channel();
            let polls = Rc::clone(polls);
            let future = poll_fn(move |cx| {
                polls.borrow_mut().push(child);
                std::pin::Pin::new(&mut receiver).poll(cx).map(Result::unwrap)
            });
            (sender, future)
        })
        .unzip()
}

#[test]
fn only_woken_children_are_polled_in_the_order_of_their_wakes() {
    let polls = Rc::default();
    let (senders, futures) = noted(5, &polls);
    let mut all = pin!(join_all(futures));
    assert!(poll(all.as_mut()).is_pending());
    assert_eq!(polls.take(), [0, 1, 2, 3, 4]);
    let mut senders: Vec<_> = senders.into_iter().map(Some).collect();
    for child in [3, 1] {
        senders[child].take().unwrap().send(child as u64).unwrap();
    }
    assert!(poll(all.as_mut()).is_pending());
    assert_eq!(polls.take(), [3, 1]);
    assert!(poll(all.as_mut()).is_pending());
    assert_eq!(polls.take(), [0; 0]);
    for child in [4, 2, 0] {
        senders[child].take().unwrap().send(child as u64).unwrap();
    }
    assert_eq!(poll(all.as_mut()), Poll::Ready(vec![0, 1, 2, 3, 4]));
    assert_eq!(polls.take(), [4, 2, 0]);
}

#[test]
fn nothing_to_wait_for_is_over_at_once() {
    let mut none = pin!(join_all(Vec::<std::future::Ready<u8>>::new()));
    assert_eq!(poll(none.as_mut()), Poll::Ready(vec![]));
}

#[test]
fn the_first_error_ends_the_join_and_drops_the_others() {
    let (stays, receiver) = oneshot::channel::<()>();
    let futures: Vec<futures::future::LocalBoxFuture<'static, Result<u64, AnyFailure>>> = vec![
        Box::pin(async { Ok(1) }),
        Box::pin(async move {
            let _ = receiver.await;
            Ok(2)
        }),
        Box::pin(async { Err(AnyFailure::retryable("no")) }),
    ];
    let mut all = pin!(try_join_all(futures));
    let Poll::Ready(Err(error)) = poll(all.as_mut()) else { panic!("an error") };
    assert_eq!(error.to_string(), "no");
    assert!(stays.is_canceled());
}

#[test]
fn the_macros_take_futures_of_different_types() {
    let mut both = pin!(async {
        let pair = join!(async { 1_u8 }, std::future::ready("b"));
        let three =
            try_join!(async { Ok::<_, AnyFailure>(1) }, async { Ok::<_, WorkflowError>("b") }, async {
                Ok::<_, crate::Cancelled>('c')
            },);
        (pair, three.unwrap())
    });
    assert_eq!(poll(both.as_mut()), Poll::Ready(((1, "b"), (1, "b", 'c'))));
}

#[test]
fn try_join_gives_the_first_error_in_the_order_written() {
    let mut failed = pin!(async {
        try_join!(
            std::future::pending::<Result<u8, AnyFailure>>(),
            async { Err::<u8, _>(AnyFailure::retryable("second")) },
            async { Err::<u8, _>(AnyFailure::retryable("third")) },
        )
    });
    let Poll::Ready(Err(error)) = poll(failed.as_mut()) else { panic!("an error") };
    assert_eq!(error.to_string(), "second");
}
