//! What the ledger holds, and what it finds at once: calls that must not have come.
//!
//! **Invariant:** entries are judged in the order in which they came. Each worker has one connection, which is read to
//! its end before the next worker begins, so that order is the order in which things happened.

use std::collections::BTreeMap;
use std::time::Instant;

use super::call::{Answer, Call};
use crate::crash::finding::{Finding, Kind};

#[cfg(test)]
mod tests;

/// All that is known of one key.
#[derive(Debug, Default)]
struct Known {
    workflow: String,
    activity: String,
    value: u64,
    failed: u32,
    effects: u32,
    /// The round of each attempt that called.
    attempts: BTreeMap<u32, u32>,
    undoes: Option<String>,
    /// The round in which its result was used: it may not run again.
    settled: Option<u32>,
    /// The round in which a caller was told that it is complete.
    told: Option<u32>,
    said_max: u32,
    details_seen: u32,
    /// When it called first.
    first: Option<Instant>,
}

/// The effects of one workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// The keys of forward calls that took effect, each once, with their values.
    pub(crate) forward: BTreeMap<String, u64>,
    /// The keys of undos that took effect.
    pub(crate) undos: BTreeMap<String, u64>,
    /// For each key, the highest attempt that called.
    pub(crate) attempts: BTreeMap<String, u32>,
    /// For each key, when it called first.
    pub(crate) first: BTreeMap<String, Instant>,
}

/// What came, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    /// Calls after the first attempt of a key.
    pub(crate) retries: u64,
    /// Calls of undos.
    pub(crate) undos: u64,
    /// Calls that were given heartbeat details of an earlier attempt.
    pub(crate) resumed: u64,
    pub(crate) effects: u64,
}

/// The ledger's state.
#[derive(Debug, Default)]
pub(crate) struct Book {
    keys: BTreeMap<String, Known>,
    by_workflow: BTreeMap<String, Vec<String>>,
    /// Workflows whose result a caller was told, and in which round.
    ended: BTreeMap<String, u32>,
    counts: Counts,
    findings: Vec<Finding>,
}

impl Book {
    /// Takes a call and judges it.
    pub(crate) fn take(&mut self, round: u32, call: &Call) -> Answer {
        self.counts.calls += 1;
        self.counts.retries += u64::from(call.attempt > 1);
        self.counts.undos += u64::from(call.undoes.is_some());
        self.counts.resumed += u64::from(call.details.unwrap_or(0) > 0);
        self.judge(round, call);
        self.settle(round, call);
        let next_value = self.keys.len() as u64 + 1;
        let known = self.keys.entry(call.key.clone()).or_insert_with(|| {
            self.by_workflow.entry(call.workflow.clone()).or_default().push(call.key.clone());
            Known {
                workflow: call.workflow.clone(),
                activity: call.activity.clone(),
                value: next_value,
                undoes: call.undoes.clone(),
                ..Known::default()
            }
        });
        known.first.get_or_insert_with(Instant::now);
        known.attempts.insert(call.attempt, round);
        known.details_seen = known.details_seen.max(call.details.unwrap_or(0));
        let fails = known.effects == 0 && known.failed < call.failures;
        if fails {
            known.failed += 1;
        } else if known.effects == 0 {
            known.effects = 1;
            self.counts.effects += 1;
        }
        Answer { value: known.value, fails }
    }

    /// Notes what a body is about to say in a heartbeat.
    pub(crate) fn said(&mut self, key: &str, progress: u32) {
        if let Some(known) = self.keys.get_mut(key) {
            known.said_max = known.said_max.max(progress);
        }
    }

    /// A caller was told that the workflow has ended.
    pub(crate) fn told_end(&mut self, round: u32, workflow: &str) {
        self.ended.entry(workflow.to_owned()).or_insert(round);
    }

    /// A caller was told that the activity with this key is complete.
    pub(crate) fn told_completed(&mut self, round: u32, workflow: &str, key: &str) {
        match self.keys.get_mut(key) {
            Some(known) => drop(known.told.get_or_insert(round)),
            None => self.findings.push(Finding::new(
                Kind::Wrong,
                round,
                format!("{workflow}: {key} is said to be complete, but it never called"),
            )),
        }
    }

    /// What was found so far.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What came so far.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The effects of every workflow that called.
    pub(crate) fn effects(&self) -> BTreeMap<String, Effects> {
        let mut all = BTreeMap::<String, Effects>::new();
        for (key, known) in &self.keys {
            let effects = all.entry(known.workflow.clone()).or_default();
            let last = known.attempts.last_key_value().map_or(0, |(attempt, _)| *attempt);
            effects.attempts.insert(key.clone(), last);
            effects.first.extend(known.first.map(|first| (key.clone(), first)));
            if known.effects > 0 {
                let side = if known.undoes.is_some() { &mut effects.undos } else { &mut effects.forward };
                side.insert(key.clone(), known.value);
            }
        }
        all
    }

    fn judge(&mut self, round: u32, call: &Call) {
        let mut found = |kind, what: String| {
            let Call { workflow, activity, attempt, key, .. } = call;
            let text = format!("{workflow}: attempt {attempt} of {activity} ({key}) {what}");
            self.findings.push(Finding::new(kind, round, text));
        };
        if let Some(ended) = self.ended.get(&call.workflow).filter(|ended| **ended < round) {
            found(Kind::Repeated, format!("ran after the caller had the workflow's result in round {ended}"));
        }
        let Some(known) = self.keys.get(&call.key) else { return };
        if let Some(settled) = known.settled {
            found(Kind::Repeated, format!("ran after the workflow used its result in round {settled}"));
        }
        if let Some(told) = known.told.filter(|told| *told < round) {
            found(Kind::Repeated, format!("ran after a caller was told in round {told} that it is complete"));
        }
        if let Some(first) = known.attempts.get(&call.attempt).filter(|_| call.attempt > 0) {
            found(Kind::Repeated, format!("ran a second time; the first was in round {first}"));
        }
        if let Some(details) = call.details.filter(|details| *details > known.said_max) {
            found(Kind::Wrong, format!("was given heartbeat details {details}, which nobody said"));
        }
        if call.details.unwrap_or(0) < known.details_seen {
            let seen = known.details_seen;
            found(Kind::Lost, format!("was given {:?}, an earlier attempt already had {seen}", call.details));
        }
        if known.workflow != call.workflow {
            found(Kind::Wrong, format!("has a key of {} ({})", known.workflow, known.activity));
        }
    }

    /// What the call says of those before it.
    fn settle(&mut self, round: u32, call: &Call) {
        for key in &call.earlier {
            match self.keys.get_mut(key) {
                Some(known) => drop(known.settled.get_or_insert(round)),
                None => self.findings.push(Finding::new(
                    Kind::Wrong,
                    round,
                    format!(
                        "{}: {} uses the result of {key}, which never called",
                        call.workflow, call.activity
                    ),
                )),
            }
        }
        if call.undoes.is_none() {
            return;
        }
        for key in self.by_workflow.get(&call.workflow).into_iter().flatten().filter(|key| **key != call.key)
        {
            if let Some(known) = self.keys.get_mut(key) {
                known.settled.get_or_insert(round);
            }
        }
    }
}
