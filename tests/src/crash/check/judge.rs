//! Puts the checks together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tour_booking::service::Books;

use super::stored::{StoredRun, read_runs};
use super::{acknowledged, activities, effects, histories, readings, tours};
use crate::crash::callers::{Caller, Callers};
use crate::crash::finding::{Finding, Kind};
use crate::crash::line::Outcome;
use crate::crash::outside::Effects;

/// What the standard library writes when a thread panics.
const PANICKED: &str = "panicked at";

/// What there is to judge.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// The round of the last worker, for findings that came to light in the end.
    pub(crate) last: u32,
    pub(crate) callers: &'a Callers,
    /// What the ledger saw, by workflow.
    pub(crate) effects: BTreeMap<String, Effects>,
    pub(crate) books: Books,
    /// The file of all runs of the store.
    pub(crate) runs: PathBuf,
    /// What workers logged.
    pub(crate) log: PathBuf,
}

/// The judgement.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) findings: Vec<Finding>,
    pub(crate) summary: String,
}

/// One workflow with everything that is known of it.
#[derive(Debug)]
pub(super) struct Matter<'a> {
    pub(super) caller: &'a Caller,
    pub(super) run: &'a StoredRun,
    pub(super) effects: Effects,
}

/// Collects what is found.
#[derive(Debug)]
pub(super) struct Findings {
    round: u32,
    pub(super) list: Vec<Finding>,
}

impl Findings {
    pub(super) fn add(&mut self, kind: Kind, text: impl Into<String>) {
        self.list.push(Finding::new(kind, self.round, text));
    }
}

/// All checks.
///
/// # Errors
///
/// Fails when the evidence cannot be read.
pub(crate) fn all(evidence: &Evidence<'_>) -> anyhow::Result<Verdict> {
    let mut findings = Findings { round: evidence.last, list: Vec::new() };
    let runs = read_runs(&evidence.runs)?;
    let matters = match_up(evidence, &runs, &mut findings);
    for matter in &matters {
        acknowledged::check(matter, &mut findings);
        effects::check(matter, &mut findings);
        readings::check(matter, &mut findings);
        activities::check(matter, evidence.callers.shown(), &mut findings);
    }
    panics(&evidence.log, &mut findings)?;
    histories::check(matters.iter().map(|matter| matter.run), &mut findings);
    let books = tours::check(&matters, &evidence.books, &mut findings);
    let summary = format!("{}\nbookings: {books}", count(&matters));
    Ok(Verdict { findings: findings.list, summary })
}

/// Pairs what callers know with what the store has; what is only on one side is a finding.
fn match_up<'a>(
    evidence: &'a Evidence<'_>,
    runs: &'a BTreeMap<String, Vec<StoredRun>>,
    findings: &mut Findings,
) -> Vec<Matter<'a>> {
    let mut matters = Vec::new();
    for caller in evidence.callers.all() {
        let id = caller.case.id();
        match runs.get(id).map(Vec::as_slice) {
            None | Some([]) => {
                if let Some((round, run)) = &caller.started
                    && !caller.is_missing
                {
                    findings.add(
                        Kind::Lost,
                        format!("{id}: run {run}, acknowledged in round {round}, is not in the store"),
                    );
                }
            }
            Some([run]) => {
                let effects = evidence.effects.get(id).cloned().unwrap_or_default();
                matters.push(Matter { caller, run, effects });
            }
            Some(several) => {
                findings.add(Kind::Repeated, format!("{id}: the store has {} runs of it", several.len()));
            }
        }
    }
    let known: BTreeSet<&str> = evidence.callers.all().map(|caller| caller.case.id()).collect();
    for id in runs.keys().chain(evidence.effects.keys()).filter(|id| !known.contains(id.as_str())) {
        findings.add(Kind::Wrong, format!("{id}: nobody asked for it"));
    }
    matters
}

/// No thread of a worker panicked, those included whose panic was contained.
fn panics(log: &Path, findings: &mut Findings) -> anyhow::Result<()> {
    let text = std::fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    for line in text.lines().filter(|line| line.contains(PANICKED)) {
        findings.add(Kind::Wrong, format!("a worker logged: {line}"));
    }
    Ok(())
}

fn count(matters: &[Matter<'_>]) -> String {
    let (mut completed, mut failed, mut cancelled, mut open) = (0, 0, 0, 0);
    for matter in matters {
        match matter.run.outcome() {
            Some(Outcome::Completed(_)) => completed += 1,
            Some(Outcome::Failed(_)) => failed += 1,
            Some(Outcome::Cancelled) => cancelled += 1,
            None => open += 1,
        }
    }
    let all = matters.len();
    format!("workflows {all}: {completed} completed, {failed} failed, {cancelled} cancelled, {open} open")
}
