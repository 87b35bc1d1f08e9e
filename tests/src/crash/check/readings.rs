//! Histories as callers read them against the store: what was once shown is a beginning of what is there in the end,
//! timers, results and all.

use super::judge::{Findings, Matter};
use crate::crash::callers::Reading;
use crate::crash::digest::digest;
use crate::crash::finding::Kind;

pub(super) fn check(matter: &Matter<'_>, findings: &mut Findings) {
    let id = matter.caller.case.id();
    for Reading { round, events, digest: shown } in &matter.caller.readings {
        match matter.run.history.get(..*events) {
            None => findings.add(
                Kind::Lost,
                format!(
                    "{id}: {events} events were shown in round {round}, {} are stored",
                    matter.run.history.len()
                ),
            ),
            Some(stored) if digest(stored) != *shown => findings.add(
                Kind::Lost,
                format!("{id}: the {events} events that were shown in round {round} are others now"),
            ),
            Some(_) => {}
        }
    }
}
