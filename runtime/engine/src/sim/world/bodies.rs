//! Bodies: they beat, end, end late, and are told of twice.

use std::sync::Arc;

use futures::channel::oneshot;
use futures::future::FutureExt;
use steadfast_core::{AttemptError, Payload};

use super::super::digest::{name, of_key};
use super::super::node::Running;
use super::super::plan::Simulation;
use super::whole::World;
use crate::activity::AttemptKey;
use crate::message::{BeatFate, Body, ShardMessage};

/// How many ends are remembered, to be told again.
const ENDED_MAX: usize = 64;

/// An end that an engine was told.
#[derive(Clone)]
pub(super) struct Ended {
    key: AttemptKey,
    result: Result<Payload, AttemptError>,
}

/// A heartbeat whose answer is awaited.
pub(super) struct Beat {
    number: u64,
    answer: oneshot::Receiver<BeatFate>,
}

impl World {
    /// A body ends, or beats, or goes on.
    pub(super) fn body_acts(&mut self, index: usize) {
        match self.dice.below(100) {
            0..6 if !self.is_calm => return self.echo(index),
            6..20 => return self.end_runaway(index),
            _ => {}
        }
        let Some(node) = &mut self.nodes[index] else { return };
        let keys: Vec<AttemptKey> = node.running.keys().copied().collect();
        let Some(key) = keys.get(self.dice.index(keys.len())).copied() else { return };
        if self.dice.percent(20) {
            self.report.counts.beats += 1;
            return self.beat(index, key);
        }
        // Some bodies hang until a timeout ends them.
        if !self.is_calm && self.dice.percent(10) {
            return;
        }
        let running = self.nodes[index].as_mut().and_then(|node| node.running.remove(&key));
        if let Some(running) = running {
            self.end(index, &running);
        }
    }

    fn end(&mut self, index: usize, running: &Running) {
        let draw = self.dice.next();
        let (key, info) = (running.attempt.key, &running.attempt.info);
        let result = result_of(&self.plan, running, draw);
        self.outside.ran(&info.idempotency_key, &running.attempt.input, &result, &mut self.dice);
        self.tell_end(index, Ended { key, result });
    }

    fn tell_end(&mut self, index: usize, ended: Ended) {
        let Ended { key, result } = ended.clone();
        self.books.report(key, result.clone());
        self.note_key(index, 40, key, || match &result {
            Ok(_) => "succeeds".to_owned(),
            Err(error) => format!("fails: {error}"),
        });
        if let Some(node) = &mut self.nodes[index] {
            node.post(
                key.shard,
                ShardMessage::AttemptEnded { key, result: ended.result.clone(), details: None },
            );
        }
        if self.ended.len() == ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }

    /// A body that was told to stop had come to its end already.
    fn end_runaway(&mut self, index: usize) {
        let running = self.nodes[index].as_mut().and_then(|node| node.runaways.pop());
        if let Some(running) = running {
            self.report.counts.late_ends += 1;
            self.end(index, &running);
        }
    }

    /// An end is told once more, or an attempt that is over beats, to whichever engine.
    fn echo(&mut self, index: usize) {
        if self.ended.is_empty() {
            return;
        }
        let ended = self.ended[self.dice.index(self.ended.len())].clone();
        if self.dice.percent(40) {
            self.report.counts.late_beats += 1;
            return self.beat(index, ended.key);
        }
        self.report.counts.repeated_ends += 1;
        let Ended { key, result } = ended;
        self.note_key(index, 41, key, || "is told of again".to_owned());
        if let Some(node) = &mut self.nodes[index] {
            node.post(key.shard, ShardMessage::AttemptEnded { key, result, details: None });
        }
    }

    fn beat(&mut self, index: usize, key: AttemptKey) {
        self.last_beat += 1;
        let number = self.last_beat;
        let (reply, answer) = oneshot::channel();
        self.beats.push(Beat { number, answer });
        self.note_key(index, 42, key, || format!("beats, {number}"));
        if let Some(node) = &mut self.nodes[index] {
            let details = Payload::json(&number).ok();
            node.post(key.shard, ShardMessage::Heartbeat { key, details, reply });
        }
    }

    /// Attempts that an engine gives back as it shuts down.
    pub(super) fn hand_back(&mut self, index: usize, back: Vec<Running>) {
        for running in back {
            let (key, info) = (running.attempt.key, &running.attempt.info);
            self.outside.cut_off(&info.idempotency_key, &running.attempt.input, &mut self.dice);
            self.tell_end(index, Ended { key, result: Err(AttemptError::HandedBack) });
        }
    }

    /// Heartbeats that were answered: what is said to be written is stored.
    pub(super) fn hear_beats(&mut self) -> Result<(), String> {
        let mut checked = Ok(());
        let books = &self.books;
        self.beats.retain_mut(|beat| match beat.answer.try_recv() {
            Ok(None) => true,
            Ok(Some(BeatFate::Written)) => {
                if checked.is_ok() {
                    checked = books.hear_beat(beat.number);
                }
                false
            }
            Ok(Some(BeatFate::Again | BeatFate::Refused)) | Err(oneshot::Canceled) => false,
        });
        checked
    }

    pub(super) fn note_key(
        &mut self,
        index: usize,
        what: u64,
        key: AttemptKey,
        text: impl FnOnce() -> String,
    ) {
        self.trace.note(&[what]);
        self.trace.note(&of_key(key));
        self.tell(index, || format!("attempt {} {}", name(key), text()));
    }
}

fn result_of(plan: &Simulation, running: &Running, draw: u64) -> Result<Payload, AttemptError> {
    let Running { attempt, is_cancelled } = running;
    if *is_cancelled && draw.is_multiple_of(3) {
        return Err(AttemptError::Cancelled);
    }
    match &attempt.body {
        Body::Step(body) => Arc::clone(body)().now_or_never().unwrap_or(Err(AttemptError::WorkerLost)),
        Body::Activity(_) => match plan.activities.get(&attempt.info.activity) {
            Some(body) => body(&attempt.info, &attempt.input, draw),
            None => Err(AttemptError::WorkerLost),
        },
    }
}
