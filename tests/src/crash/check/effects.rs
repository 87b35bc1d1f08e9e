//! The outside world has each effect once, no more and no fewer.

use std::collections::BTreeMap;
use std::time::Duration;

use super::judge::{Findings, Matter};
use crate::crash::case::{Expected, Shape};
use crate::crash::finding::Kind;
use crate::crash::line::Outcome;

/// The engine counts whole milliseconds, and by the wall clock from one worker to the next.
const TIMER_SLACK: Duration = Duration::from_millis(20);

pub(super) fn check(matter: &Matter<'_>, findings: &mut Findings) {
    let Matter { caller, run, effects } = matter;
    let case = &caller.case;
    let (id, usual) = (case.id(), case.effects());
    let (forward, undos) = (effects.forward.len(), effects.undos.len());
    match run.outcome() {
        Some(Outcome::Completed(report)) => {
            let keys: Vec<String> = report.receipts.iter().map(|receipt| receipt.key.clone()).collect();
            let told: BTreeMap<String, u64> =
                report.receipts.iter().map(|receipt| (receipt.key.clone(), receipt.value)).collect();
            if report.padding != case.order.padding {
                findings.add(Kind::Wrong, format!("{id}: its result is not whole"));
            }
            if told != effects.forward {
                let text = format!("{id}: its result tells of {told:?}, outside are {:?}", effects.forward);
                findings.add(Kind::Wrong, text);
            }
            if forward != usual || undos != 0 {
                findings.add(
                    Kind::Wrong,
                    format!("{id}: {forward} effects and {undos} undos, not {usual} and 0"),
                );
            }
            check_rests(matter, &keys, findings);
        }
        Some(Outcome::Failed(_)) if case.expected() == Expected::Declined => {
            // The declined step itself is undone only if an attempt of it has an unknown outcome.
            if forward != usual || (undos != usual && undos + 1 != usual) {
                let text = format!("{id}: {forward} effects and {undos} undos after {usual} steps");
                findings.add(Kind::Wrong, text);
            }
        }
        Some(Outcome::Failed(_) | Outcome::Cancelled) | None => {
            // A step that was granted and never ran is undone too.
            let undos_max = if case.shape == Shape::Tour { forward + 1 } else { 0 };
            if forward > usual || undos > undos_max {
                findings.add(
                    Kind::Wrong,
                    format!("{id}: {forward} effects and {undos} undos of at most {usual}"),
                );
            }
        }
    }
    let prefix = format!("{id}/{}/", run.run);
    for key in effects.attempts.keys().filter(|key| !key.starts_with(&prefix)) {
        findings.add(Kind::Lost, format!("{id}: {key} was called outside, but its run is not in the store"));
    }
}

/// No timer between two activities was cut short, as seen from outside.
fn check_rests(matter: &Matter<'_>, keys: &[String], findings: &mut Findings) {
    let case = &matter.caller.case;
    if !matches!(case.shape, Shape::Nap | Shape::Tour) {
        return;
    }
    let rest = Duration::from_millis(case.order.rest);
    for pair in keys.windows(2) {
        let first = |key: &String| matter.effects.first.get(key).copied();
        if let (Some(before), Some(after)) = (first(&pair[0]), first(&pair[1]))
            && after.duration_since(before) + TIMER_SLACK < rest
        {
            let text = format!("{}: a timer of {rest:?} took {:?}", case.id(), after.duration_since(before));
            findings.add(Kind::Wrong, text);
        }
    }
}
