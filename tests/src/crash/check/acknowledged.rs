//! What callers were told is there: starts, results, cancels.

use super::judge::{Findings, Matter};
use crate::crash::callers::Cancel;
use crate::crash::case::Expected;
use crate::crash::finding::Kind;
use crate::crash::line::Outcome;

/// The text of a tour that was declined.
const DECLINED: &str = "declined";

pub(super) fn check(matter: &Matter<'_>, findings: &mut Findings) {
    let Matter { caller, run, .. } = matter;
    let id = caller.case.id();
    if let Some((round, acknowledged)) = &caller.started
        && *acknowledged != run.run
    {
        let text =
            format!("{id}: run {acknowledged}, acknowledged in round {round}, is {} in the store", run.run);
        findings.add(Kind::Lost, text);
    }
    let outcome = run.outcome();
    match (&caller.ended, &outcome) {
        (_, None) => {
            let kind = if caller.ended.is_some() { Kind::Lost } else { Kind::Wrong };
            findings.add(kind, format!("{id}: it is not closed, the store has it as {}", run.status));
        }
        (Some((round, told)), Some(stored)) if told != stored => {
            let text =
                format!("{id}: the caller was told {told:?} in round {round}, the store has {stored:?}");
            findings.add(Kind::Lost, text);
        }
        (Some(_), Some(_)) => {}
        (None, Some(_)) => {
            findings.add(Kind::Wrong, format!("{id}: it is closed, but its caller was not told"))
        }
    }
    match (caller.cancel, run.has_cancel()) {
        (Cancel::Accepted(round), false) => {
            findings.add(
                Kind::Lost,
                format!("{id}: the cancel acknowledged in round {round} is not in the history"),
            );
        }
        (Cancel::Refused(round), true) => {
            let text = format!("{id}: the cancel is in the history, but was refused in round {round}");
            findings.add(Kind::Wrong, text);
        }
        (Cancel::Accepted(_), true) | (Cancel::Refused(_) | Cancel::Unknown, _) => {}
    }
    if let Some(outcome) = outcome {
        check_expected(matter, &outcome, findings);
    }
}

fn check_expected(matter: &Matter<'_>, outcome: &Outcome, findings: &mut Findings) {
    let case = &matter.caller.case;
    let is_expected = match outcome {
        Outcome::Completed(_) => case.expected() == Expected::Completed,
        Outcome::Failed(text) => case.expected() == Expected::Declined && text.contains(DECLINED),
        Outcome::Cancelled => matter.run.has_cancel(),
    };
    if !is_expected {
        findings.add(Kind::Wrong, format!("{}: it ended as {outcome:?}", case.id()));
    }
    if matter.run.has_cancel() && case.cancel_after.is_none() {
        findings.add(Kind::Wrong, format!("{}: nobody cancelled it", case.id()));
    }
}
