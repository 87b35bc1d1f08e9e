//! Code that was changed: refused at the event at which it parts from the history, or truly the same in what it decides.

use std::cell::Cell;
use std::collections::BTreeMap;

use steadfast_core::EventId;
use steadfast_core::exec::{Blocked, Mismatch};
use steadfast_core::history::{ClosedBy, Event, EventKind, Role};
use steadfast_engine::sim::Seen;

use crate::cases::check;
use crate::drive::run;
use crate::watch::Watched;

/// How many changes of each program are tried.
const CHANGES: u64 = 4;

#[test]
fn changed_code_is_refused_at_the_event_or_decides_the_same() {
    let (accepted, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    check(|program, seed| {
        let record = run(program, seed)?;
        for number in 0..CHANGES {
            let (changed, what) = program.changed(seed.wrapping_mul(CHANGES) + number);
            let mut watched = Watched::new(&changed);
            let replayed = watched.executor.replay(&record.history);
            let seen = watched.look();
            let fits = match replayed {
                Ok(()) => {
                    accepted.set(accepted.get() + 1);
                    decides_the_same(&record.history, &seen, EventId(u64::MAX))
                        .and_then(|()| ends_the_same(&record.history, &seen))
                }
                Err(Blocked::Mismatch(mismatch)) => {
                    refused.set(refused.get() + 1);
                    decides_the_same(&record.history, &seen, mismatch.event)
                        .and_then(|()| names_the_event(&record.history, &mismatch))
                }
                Err(other) => Err(format!("no mismatch but {other}")),
            };
            fits.map_err(|problem| {
                format!("{problem}\nafter this change: {what}\n{changed}\n{}", record.text())
            })?;
        }
        Ok(())
    });
    // Changes to what did not run are no changes to the history.
    let (accepted, refused) = (accepted.get(), refused.get());
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted + refused < 400 || (accepted > 50 && refused > 50), "{accepted} and {refused}");
}

/// Everything that the code began before this event is what the history says, and it is all that the history says.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other events are not begun by code itself")]
fn decides_the_same(history: &[Event], seen: &[Seen], before: EventId) -> Result<(), String> {
    let mut begun = BTreeMap::new();
    let mut side_effects = 0;
    for seen in seen {
        if let Seen::Begun { begun: id, name, undo } = seen {
            begun.insert(*id, (name.clone(), undo.clone()));
        }
        side_effects += usize::from(matches!(seen, Seen::SideEffect(_)));
    }
    let mut recorded_side_effects = 0;
    let mut recorded = 0;
    for event in history.iter().filter(|event| event.id < before) {
        let own = |name: Option<String>| match begun.get(&event.id) {
            Some((issued, _)) if *issued == name => Ok(1),
            other => Err(format!("accepted falsely: event {} is {name:?}, begun was {other:?}", event.id)),
        };
        match &event.kind {
            EventKind::ActivityScheduled(e) => match e.undoes {
                None => recorded += own(Some(e.activity.to_string()))?,
                Some(step) => match begun.get(&step) {
                    Some((_, Some(undo))) if *undo == e.activity.as_str() => {}
                    other => return Err(format!("accepted falsely: the undo of {step} for {other:?}")),
                },
            },
            EventKind::StepStarted(e) => recorded += own(Some(e.name.clone()))?,
            EventKind::TimerStarted(_) => recorded += own(None)?,
            EventKind::SideEffectRecorded(_) => recorded_side_effects += 1,
            _ => {}
        }
    }
    let begun = begun.keys().filter(|id| **id < before).count();
    if (begun, side_effects) != (recorded, recorded_side_effects) {
        return Err(format!(
            "accepted falsely: {begun} begun and {side_effects} side effects, recorded are {recorded} and \
             {recorded_side_effects}"
        ));
    }
    Ok(())
}

fn ends_the_same(history: &[Event], seen: &[Seen]) -> Result<(), String> {
    let closing = &history.last().ok_or("no history")?.kind;
    if closing.closed_by() == Some(ClosedBy::Engine) {
        return Ok(());
    }
    let returned = seen.iter().find_map(|seen| {
        let Seen::Returned { error } = seen else { return None };
        Some(error.is_none())
    });
    let completed = matches!(closing, EventKind::WorkflowCompleted(_));
    if returned == Some(completed) {
        return Ok(());
    }
    Err(format!("accepted falsely: returned ok {returned:?}, recorded is {}", closing.name()))
}

/// The report tells what is recorded at the event, and something else that the code issued.
fn names_the_event(history: &[Event], mismatch: &Mismatch) -> Result<(), String> {
    let index = usize::try_from(mismatch.event.0 - 1).map_err(|error| error.to_string())?;
    let at = history.get(index).map(|event| &event.kind);
    let issued_there = at.filter(|kind| match kind.role() {
        Role::Input => false,
        Role::Command => true,
        Role::Close => kind.closed_by() == Some(ClosedBy::Code),
    });
    let said = mismatch.recorded.as_ref().map(|described| described.what.as_str());
    let is_named = match (said, issued_there) {
        (Some(said), Some(kind)) => said.starts_with(kind.name()),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let issued = mismatch.issued.as_ref().map(|described| described.what.as_str());
    if is_named && issued != said {
        return Ok(());
    }
    Err(format!("names another event: {mismatch}"))
}
