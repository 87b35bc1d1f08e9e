//! A caller who looks at histories: what it is shown is acknowledged too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use steadfast_core::history::{Event, EventKind};
use tokio::time::sleep;

use super::caller::Callers;
use super::client::{self, HistoryAnswer};
use crate::crash::dice::Dice;
use crate::crash::digest::digest;
use crate::crash::line::Line;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Looks at one workflow after the other, for ever.
pub(crate) async fn watch(callers: Arc<Callers>, seed: u64, round: u32) {
    let mut dice = Dice::new(seed.rotate_left(32), u64::from(round));
    let mut seen = BTreeSet::new();
    let mut read = BTreeMap::<u64, usize>::new();
    loop {
        sleep(PAUSE).await;
        let cases = callers.in_flight();
        if cases.is_empty() {
            continue;
        }
        let case = &cases[usize::try_from(dice.below(cases.len() as u64)).unwrap_or(0)];
        let number = case.number;
        match client::history(&callers.client, case).await {
            HistoryAnswer::Shown(events) => {
                if read.insert(number, events.len()) != Some(events.len()) {
                    Line::Read { number, events: events.len(), digest: digest(&events) }.say();
                }
                let mut keys = completed(&events);
                keys.retain(|key| seen.insert(key.clone()));
                if !keys.is_empty() {
                    Line::Shown { number, keys }.say();
                }
            }
            HistoryAnswer::Missing(what) => Line::Missing { number, what }.say(),
            HistoryAnswer::Failed(what) => Line::Failed { number, what }.say(),
        }
    }
}

/// The keys of the activities that a history has as complete.
fn completed(events: &[Event]) -> Vec<String> {
    let keys = events.iter().filter_map(|event| {
        let EventKind::ActivityCompleted(e) = &event.kind else { return None };
        // Ids run from 1 without a gap.
        let scheduled = usize::try_from(e.scheduled.0).ok()?.checked_sub(1).and_then(|at| events.get(at))?;
        let EventKind::ActivityScheduled(scheduled) = &scheduled.kind else { return None };
        Some(scheduled.idempotency_key.as_str().to_owned())
    });
    keys.collect()
}
