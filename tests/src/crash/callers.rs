//! The callers' own log: what they asked for and what they were told, kept by the parent from the workers' lines.

use std::collections::BTreeMap;

use super::case::Case;
use super::finding::{Finding, Kind};
use super::line::{Line, Outcome};

/// Where a cancel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancel {
    /// Nobody was told anything.
    Unknown,
    /// It was acknowledged in this round.
    Accepted(u32),
    /// It was refused in this round, because the run had closed.
    Refused(u32),
}

/// One workflow as its caller knows it.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) case: Case,
    /// The run, and the round of the first acknowledgement.
    pub(crate) started: Option<(u32, String)>,
    pub(crate) ended: Option<(u32, Outcome)>,
    pub(crate) cancel: Cancel,
    /// What it was shown of its history.
    pub(crate) readings: Vec<Reading>,
    /// It was started, and a caller was told that it is not known.
    pub(crate) is_missing: bool,
}

/// A history that a caller was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) round: u32,
    /// How many events it had.
    pub(crate) events: usize,
    /// What stands for them.
    pub(crate) digest: u64,
}

/// What was acknowledged, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) starts: u64,
    pub(crate) results: u64,
    pub(crate) cancels: u64,
    pub(crate) activities: u64,
    pub(crate) readings: u64,
}

/// All callers.
#[derive(Debug)]
pub(crate) struct Callers {
    seed: u64,
    callers: BTreeMap<u64, Caller>,
    shown: BTreeMap<String, u32>,
    pub(crate) findings: Vec<Finding>,
}

impl Callers {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, callers: BTreeMap::new(), shown: BTreeMap::new(), findings: Vec::new() }
    }

    /// All that asked for something, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Caller> {
        self.callers.values()
    }

    /// The number of the next case.
    pub(crate) fn next(&self) -> u64 {
        self.callers.last_key_value().map_or(0, |(number, _)| number + 1)
    }

    /// The workflow id of a case.
    pub(crate) fn id(&self, number: u64) -> String {
        self.callers
            .get(&number)
            .map_or_else(|| format!("case {number}"), |caller| caller.case.id().to_owned())
    }

    /// Those that wait: their start may be in doubt, their result is not known.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Caller> {
        self.callers.values().filter(|caller| caller.ended.is_none() && !caller.is_missing)
    }

    /// How many workflows are in flight as far as callers know.
    pub(crate) fn in_flight(&self) -> usize {
        self.open().filter(|caller| caller.started.is_some()).count()
    }

    /// Keys of activities that a caller saw complete, with the round.
    pub(crate) fn shown(&self) -> &BTreeMap<String, u32> {
        &self.shown
    }

    pub(crate) fn acknowledged(&self) -> Acknowledged {
        let count =
            |is: fn(&Caller) -> bool| self.callers.values().filter(|caller| is(caller)).count() as u64;
        Acknowledged {
            starts: count(|caller| caller.started.is_some()),
            results: count(|caller| caller.ended.is_some()),
            cancels: count(|caller| matches!(caller.cancel, Cancel::Accepted(_))),
            activities: self.shown.len() as u64,
            readings: self.callers.values().map(|caller| caller.readings.len() as u64).sum(),
        }
    }

    /// Takes in a line about a case. Those about the worker itself say nothing here.
    pub(crate) fn note(&mut self, round: u32, line: &Line) {
        match line {
            Line::Opening | Line::Opened | Line::Ready | Line::Finished => {}
            Line::Trying { number } => drop(self.caller(*number)),
            Line::Started { number, run } => self.started(round, *number, run),
            Line::Ended { number, outcome } => self.ended(round, *number, outcome),
            Line::Cancelled { number } => self.caller(*number).cancel = Cancel::Accepted(round),
            Line::CancelRefused { number } => self.caller(*number).cancel = Cancel::Refused(round),
            Line::Shown { keys, .. } => {
                for key in keys {
                    self.shown.entry(key.clone()).or_insert(round);
                }
            }
            Line::Read { number, events, digest } => {
                let reading = Reading { round, events: *events, digest: *digest };
                self.caller(*number).readings.push(reading);
            }
            Line::Missing { number, what } => {
                let caller = self.caller(*number);
                let text = format!("{}: {what}", caller.case.id());
                if !std::mem::replace(&mut caller.is_missing, true) {
                    self.findings.push(Finding::new(Kind::Lost, round, text));
                }
            }
            Line::Failed { number, what } => {
                let text = format!("{}: {what}", self.caller(*number).case.id());
                self.findings.push(Finding::new(Kind::Wrong, round, text));
            }
        }
    }

    fn caller(&mut self, number: u64) -> &mut Caller {
        let seed = self.seed;
        self.callers.entry(number).or_insert_with(|| Caller {
            case: Case::new(seed, number),
            started: None,
            ended: None,
            cancel: Cancel::Unknown,
            readings: Vec::new(),
            is_missing: false,
        })
    }

    fn started(&mut self, round: u32, number: u64, run: &str) {
        let caller = self.caller(number);
        let (first, known) = caller.started.get_or_insert_with(|| (round, run.to_owned()));
        if known != run {
            let id = caller.case.id();
            let text = format!("{id}: acknowledged as run {known} in round {first}, now as run {run}");
            self.findings.push(Finding::new(Kind::Lost, round, text));
        }
    }

    fn ended(&mut self, round: u32, number: u64, outcome: &Outcome) {
        let caller = self.caller(number);
        let (first, known) = caller.ended.get_or_insert_with(|| (round, outcome.clone()));
        if known != outcome {
            let id = caller.case.id();
            let text = format!("{id}: ended as {known:?} in round {first}, now as {outcome:?}");
            self.findings.push(Finding::new(Kind::Lost, round, text));
        }
    }
}
