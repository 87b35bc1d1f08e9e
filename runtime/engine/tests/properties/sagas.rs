//! The properties of sagas: what has to be undone is undone, newest first, and the run says truly what became of it.

use steadfast_core::history::{CancelCause, ClosedBy, Compensation, EventKind};
use steadfast_core::{EventId, WorkflowError};

use crate::cases::check;
use crate::drive::run;
use crate::fates::Fates;
use crate::record::Record;

fn is_terminated(record: &Record) -> bool {
    matches!(record.closing(), EventKind::WorkflowTerminated(_))
}

fn with_fates(look: impl Fn(&Record, &Fates) -> Result<(), String>) {
    check(|program, seed| {
        let record = run(program, seed)?;
        let fates = Fates::of(&record).map_err(|problem| format!("{problem}\n{}", record.text()))?;
        look(&record, &fates).map_err(|problem| format!("{problem}\n{}", record.text()))
    });
}

#[test]
fn a_step_is_undone_if_and_only_if_its_saga_failed_and_it_may_have_had_an_effect() {
    with_fates(|record, fates| {
        for (id, step) in &fates.steps {
            let by = fates.responsible_for(step);
            let is_undone = fates.undos.contains_key(id);
            answers(record, &format!("step {id}"), &by, is_undone, fates.undoer(*id))?;
            if step.settled.is_none() && record.closing().closed_by() == Some(ClosedBy::Code) {
                return Err(format!("left open: step {id}"));
            }
        }
        for (number, own) in &fates.own {
            let by = fates.responsible_for_own(own);
            let what = format!("own undo {number}");
            answers(record, &what, &by, own.began.is_some(), fates.own_undoer(*number))?;
        }
        Ok(())
    });
}

/// Undone if somebody has to, and while that saga unwinds.
fn answers(
    record: &Record,
    what: &str,
    by: &[u32],
    is_undone: bool,
    undoer: Option<u32>,
) -> Result<(), String> {
    match (by.is_empty(), is_undone) {
        (true, true) => Err(format!("undone for no reason: {what}")),
        (false, false) if !is_terminated(record) => Err(format!("not undone: {what} by a saga of {by:?}")),
        (false, true) if undoer.is_none() => Err(format!("undone outside: {what}, none of {by:?} unwinds")),
        _ => Ok(()),
    }
}

/// One undo of a saga: where what it undoes was registered, and when it ran.
#[derive(Debug)]
struct Turn {
    /// A step's own event, or the newest event when code of the workflow's own was registered, and its number.
    place: (EventId, u32),
    /// The newest event before it began.
    began: EventId,
    /// The event that ended it; of code of the workflow's own it is not known.
    ended: Option<EventId>,
}

#[test]
fn undos_of_a_saga_run_one_at_a_time_newest_first_once_everything_in_it_is_over() {
    with_fates(|_, fates| {
        for (saga, fate) in &fates.sagas {
            let mut turns: Vec<Turn> = Vec::new();
            for id in fates.steps.keys() {
                let undo = fates.undos.get(id).filter(|_| fates.undoer(*id) == Some(*saga));
                turns.extend(undo.map(|undo| Turn {
                    place: (*id, 0),
                    began: EventId(undo.scheduled.0 - 1),
                    ended: undo.ended.map(|(at, _)| at),
                }));
            }
            for (number, own) in &fates.own {
                let began = own.began.filter(|_| fates.own_undoer(*number) == Some(*saga));
                turns.extend(began.map(|began| Turn {
                    place: (own.registered, *number),
                    began,
                    ended: None,
                }));
            }
            turns.sort_by_key(|turn| std::cmp::Reverse(turn.place));
            in_turn(*saga, &turns)?;
            let Some(first) = turns.iter().map(|turn| turn.began).min() else { continue };
            // Of one that succeeded only what was lost is undone; what runs in it may go on.
            let has_failed = fate.ended.is_none_or(|(_, is_ok)| !is_ok);
            for (id, step) in &fates.steps {
                let is_over = step.settled.is_some_and(|(at, _)| at <= first) || *id > first;
                let counts =
                    if has_failed { step.inside.contains(saga) } else { step.inside.last() == Some(saga) };
                if counts && !is_over {
                    return Err(format!("too early: saga {saga} undoes something while step {id} is open"));
                }
            }
        }
        Ok(())
    });
}

fn in_turn(saga: u32, turns: &[Turn]) -> Result<(), String> {
    for pair in turns.windows(2) {
        let (earlier, later) = (&pair[0], &pair[1]);
        if earlier.began > later.began {
            return Err(format!("not the newest first: saga {saga}, {earlier:?} after {later:?}"));
        }
        if earlier.ended.is_some_and(|ended| ended > later.began) {
            return Err(format!("not one at a time: saga {saga}, {later:?} before the end of {earlier:?}"));
        }
    }
    Ok(())
}

#[test]
fn the_run_says_of_its_undos_what_became_of_them() {
    with_fates(|record, fates| {
        let (mut undone, mut failed) = (0, Vec::new());
        for (number, saga) in &fates.sagas {
            let Some((_, count, of_saga)) = &saga.finished else {
                if saga.started.is_some() && !is_terminated(record) {
                    return Err(format!("not finished: saga {number}"));
                }
                continue;
            };
            let steps = fates.undos.iter().filter(|(id, _)| fates.undoer(**id) == Some(*number));
            let ended = steps.filter_map(|(_, undo)| undo.ended).map(|(_, is_ok)| is_ok);
            let own = fates.own.iter().filter(|(own, _)| fates.own_undoer(**own) == Some(*number));
            let all: Vec<bool> = ended.chain(own.filter_map(|(_, own)| own.is_ok)).collect();
            let good = all.iter().filter(|is_ok| **is_ok).count();
            if (good, all.len() - good) != (*count as usize, of_saga.len()) {
                return Err(format!("miscounted: saga {number} says {count} and {of_saga:?}, {all:?} were"));
            }
            undone += good;
            failed.extend(of_saga.iter().map(|undo| (undo.step, undo.undo.clone())));
        }
        let said = compensation(record.closing());
        let expected = if failed.is_empty() { undone > 0 } else { true };
        let fits = match said {
            Compensation::None => !expected,
            Compensation::Compensated => expected && failed.is_empty(),
            Compensation::Failed(said) => {
                let mut said: Vec<_> = said.iter().map(|undo| (undo.step, undo.undo.clone())).collect();
                said.sort();
                failed.sort();
                !said.is_empty() && said == failed
            }
        };
        if fits { Ok(()) } else { Err(format!("untrue: {said:?}, undone {undone}, failed {failed:?}")) }
    });
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the closing events are listed")]
fn compensation(closing: &EventKind) -> &Compensation {
    match closing {
        EventKind::WorkflowCompleted(e) => &e.compensation,
        EventKind::WorkflowFailed(e) => &e.compensation,
        EventKind::WorkflowCancelled(e) => &e.compensation,
        EventKind::WorkflowTimedOut(e) => &e.compensation,
        EventKind::WorkflowTerminated(e) => &e.compensation,
        _ => unreachable!("not a closing event"),
    }
}

#[test]
fn the_run_ends_as_its_code_and_what_was_asked_of_it_say() {
    with_fates(|record, fates| {
        let closing = record.closing();
        if closing.closed_by() == Some(ClosedBy::Engine) {
            return Ok(());
        }
        let name = expected_close(record, fates)?;
        if closing.name() != name {
            return Err(format!("ended wrong: {} instead of {name}", closing.name()));
        }
        if let EventKind::WorkflowFailed(e) = closing
            && !matches!(e.error, WorkflowError::HistoryLimit(_))
            && fates.returned != Some(Some(e.error.clone()))
        {
            return Err(format!("another error: {:?} instead of {:?}", e.error, fates.returned));
        }
        Ok(())
    });
}

fn expected_close(record: &Record, fates: &Fates) -> Result<&'static str, String> {
    let Some(returned) = &fates.returned else {
        return Err("ended early: the code has not returned".to_owned());
    };
    let Some(error) = returned else { return Ok("WorkflowCompleted") };
    let cancels = |imposed: bool| {
        record.history.iter().find_map(|event| {
            let EventKind::CancelRequested(e) = &event.kind else { return None };
            (e.cause.is_imposed() == imposed).then(|| (event.id, e.cause.clone()))
        })
    };
    if let Some((at, cause)) = cancels(true) {
        let began_before = fates.sagas.values().any(|saga| saga.started.is_some_and(|began| began < at));
        if !began_before {
            let is_limit = matches!(cause, CancelCause::HistoryLimit(_));
            return Ok(if is_limit { "WorkflowFailed" } else { "WorkflowTimedOut" });
        }
    }
    let is_undone = !matches!(compensation(record.closing()), Compensation::Failed(_));
    let is_cancelled = error.is_cancelled() && cancels(false).is_some() && is_undone;
    Ok(if is_cancelled { "WorkflowCancelled" } else { "WorkflowFailed" })
}
