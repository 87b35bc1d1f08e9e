//! One attempt from its beginning to its end: the body, its heartbeats, and being told to stop.

use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;
use steadfast_core::{AttemptError, Payload};
use tokio::time::{Instant, sleep_until};
use tracing::Instrument;

use super::bodies::Bodies;
use super::contained::Contained;
use crate::activity::{ActivityContext, AttemptKey, Line, Stop};
use crate::message::{Attempt, BeatFate, ShardMessage};

/// The pause before a heartbeat that was not written is sent again.
const BEAT_AGAIN: Duration = Duration::from_millis(100);
/// A time that is not reached: for timers that are not set.
const NEVER: Duration = Duration::from_secs(86_400 * 365);

type Ended = Result<Payload, AttemptError>;

/// When heartbeats are handed on.
struct Flush {
    interval: Duration,
    /// When the next may be; `None` if nothing was said since the last one.
    at: Option<Instant>,
    last: Option<Instant>,
    answer: Option<oneshot::Receiver<BeatFate>>,
}

impl Flush {
    /// Something was said: it is handed on now, or when the interval since the last time is over.
    fn beaten(&mut self) {
        if self.at.is_none() {
            let earliest = self.last.map(|last| last + self.interval);
            self.at = Some(earliest.map_or_else(Instant::now, |earliest| earliest.max(Instant::now())));
        }
    }
}

/// Sees to it that a shard hears of the end of an attempt, also if a runtime that stops drops its task.
pub(super) struct Report {
    pub(super) bodies: Arc<Bodies>,
    pub(super) key: AttemptKey,
    /// What the shard is told; `None` if nobody wants to know.
    pub(super) ended: Option<Ended>,
    pub(super) line: Arc<Line>,
}

impl Report {
    /// Until the body has ended, its end is that of a worker that was lost.
    pub(super) fn new(bodies: Arc<Bodies>, key: AttemptKey, line: Arc<Line>) -> Self {
        Self { bodies, key, ended: Some(Err(AttemptError::WorkerLost)), line }
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let key = self.key;
        if let Some(result) = self.ended.take() {
            let mut beats = self.line.beats.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let details = beats.details.take();
            drop(beats);
            self.bodies.router.send(key.shard, ShardMessage::AttemptEnded { key, result, details });
        }
        self.bodies.ended(key);
    }
}

pub(super) async fn supervise(mut report: Report, attempt: Attempt) {
    let span = tracing::info_span!(
        "attempt",
        workflow_id = %attempt.info.workflow_id,
        run_id = %attempt.info.run_id,
        activity = %attempt.info.activity,
        attempt = attempt.info.attempt,
    );
    let ended = run(&report.bodies, attempt, &report.line).instrument(span).await;
    report.bodies.shared.config.fail_point("body-finished");
    report.ended = ended;
}

/// Runs the body to its end; `None` if nobody wants its result.
async fn run(bodies: &Bodies, attempt: Attempt, line: &Arc<Line>) -> Option<Ended> {
    bodies.shared.config.fail_point("body-started");
    let mut stop = line.stop.clone();
    let mut flush = Flush { interval: line.flush_interval(), at: None, last: None, answer: None };
    let mut dropped_at = None;
    let key = attempt.key;
    let mut body = Contained::new(&attempt.body, ActivityContext(Arc::clone(line)), attempt.input);
    loop {
        let flush_at = flush.at.filter(|_| flush.answer.is_none());
        tokio::select! {
            biased;
            result = &mut body => return if dropped_at.is_some() { None } else { Some(result) },
            told = stop.changed() => {
                if told.is_err() {
                    return None;
                }
                match *stop.borrow_and_update() {
                    Stop::Run | Stop::Cancel => {}
                    Stop::Abandon(grace) => dropped_at = Some(Instant::now() + grace),
                    Stop::HandBack => return Some(Err(AttemptError::HandedBack)),
                    Stop::Drop => return None,
                }
            }
            () = line.beaten.notified() => flush.beaten(),
            fate = answered(&mut flush.answer) => after_beat(&mut flush, line, fate),
            () = sleep_until(or_never(flush_at)), if flush_at.is_some() => hand_on(bodies, key, line, &mut flush),
            () = sleep_until(or_never(dropped_at)), if dropped_at.is_some() => return None,
        }
    }
}

fn or_never(at: Option<Instant>) -> Instant {
    at.unwrap_or_else(|| Instant::now() + NEVER)
}

/// The answer to the heartbeat that was handed on; never, if none was.
async fn answered(answer: &mut Option<oneshot::Receiver<BeatFate>>) -> BeatFate {
    match answer {
        Some(receiver) => receiver.await.unwrap_or(BeatFate::Again),
        None => std::future::pending().await,
    }
}

fn hand_on(bodies: &Bodies, key: AttemptKey, line: &Line, flush: &mut Flush) {
    flush.at = None;
    let Some(details) = line.take_beat() else { return };
    let (reply, answer) = oneshot::channel();
    flush.last = Some(Instant::now());
    flush.answer = Some(answer);
    bodies.router.send(key.shard, ShardMessage::Heartbeat { key, details, reply });
}

fn after_beat(flush: &mut Flush, line: &Line, fate: BeatFate) {
    flush.answer = None;
    match fate {
        BeatFate::Written | BeatFate::Refused => {}
        BeatFate::Again => {
            line.beat_again();
            flush.at = Some(Instant::now() + BEAT_AGAIN);
        }
    }
}
