//! The properties of replay.

use steadfast_core::exec::Blocked;
use steadfast_core::history::{ClosedBy, from_json, to_json};
use steadfast_core::machine::{RunMachine, RunState};
use steadfast_core::{decode_events, encode_events};
use steadfast_engine::sim::{Program, Seen};

use crate::cases::check;
use crate::drive::{Expected, Input, run, run_checked};
use crate::record::Record;
use crate::watch::{Watched, repeated};

/// What an executor says of itself.
fn state(watched: &Watched) -> String {
    let executor = &watched.executor;
    format!(
        "after {}: undos {:?}, has undos {}, unwinding {}, {:?}",
        executor.last_event(),
        executor.undos(),
        executor.has_undos(),
        executor.is_unwinding(),
        executor.compensation(),
    )
}

/// An executor that has followed what is recorded; it must have come to the same, and have seen the same.
fn rebuilt(program: &Program, record: &Record, live: Option<&Watched>) -> Result<Watched, String> {
    let mut rebuilt = Watched::new(program);
    rebuilt.executor.replay(&record.history).map_err(|blocked| format!("replay is refused: {blocked}"))?;
    let (seen, again) = (repeated(&record.seen().cloned().collect::<Vec<_>>()), rebuilt.look());
    if seen != again {
        return Err(format!("the code sees something else at replay: {}", difference(&seen, &again)));
    }
    if let Some(live) = live
        && state(live) != state(&rebuilt)
    {
        return Err(format!("the state differs: live {}; rebuilt {}", state(live), state(&rebuilt)));
    }
    Ok(rebuilt)
}

fn difference(one: &[Seen], other: &[Seen]) -> String {
    let index = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    format!("at {index}: {:?} and {:?}", one.get(index), other.get(index))
}

/// Before every input: the history so far gives the same state, and the input the same events.
#[test]
fn every_prefix_of_a_history_gives_the_same_state_and_the_same_next_commands() {
    check(|program, seed| {
        let mut look = |program: &Program, record: &Record, live: &Watched, input: &Input| {
            let mut rebuilt = rebuilt(program, record, Some(live))?;
            let again = rebuilt.executor.activate(input.at, input.kind.clone());
            let events = again.map(|activation| activation.events).map_err(|blocked| blocked.to_string());
            Ok::<Expected, String>(Some((events, repeated(&rebuilt.look()))))
        };
        run_checked(program, seed, &mut look).map(|_| ())
    });
}

/// The whole history at once: well formed, readable, and the same to the code as when it was made.
#[test]
fn a_closed_history_replays_to_its_end_and_survives_its_stored_forms() {
    check(|program, seed| {
        let record = run(program, seed)?;
        rebuilt(program, &record, None).map_err(|problem| format!("{problem}\n{}", record.text()))?;
        let mut machine = RunMachine::new();
        for event in &record.history {
            machine.apply(event).map_err(|error| error.to_string())?;
        }
        if machine.state() != RunState::Closed {
            return Err(format!("the history is {:?}", machine.state()));
        }
        let bytes = encode_events(&record.history).map_err(|error| error.to_string())?;
        if decode_events(&bytes).map_err(|error| error.to_string())? != record.history {
            return Err("the stored form reads as something else".to_owned());
        }
        let json = to_json(&record.history).map_err(|error| error.to_string())?;
        if from_json(&json).map_err(|error| error.to_string())? != record.history {
            return Err("the JSON form reads as something else".to_owned());
        }
        Ok(())
    });
}

/// A history that was cut inside an activation, its newest input alone included: either nothing of the activation
/// is missing, or the first missing command is named.
#[test]
fn a_history_cut_inside_an_activation_is_refused_at_the_cut() {
    check(|program, seed| {
        let record = run(program, seed)?;
        let mut begin = 0;
        for activation in &record.activations {
            // A closing event of the engine's own is no part of an activation.
            let is_whole = |cut: usize| record.history[cut].kind.closed_by() == Some(ClosedBy::Engine);
            for cut in begin + 1..activation.end {
                let mut executor = Watched::new(program).executor;
                let replayed = executor.replay(&record.history[..cut]);
                match replayed {
                    Ok(()) if is_whole(cut) => {}
                    Err(Blocked::Mismatch(mismatch))
                        if mismatch.recorded.is_none() && mismatch.event.0 == cut as u64 + 1 => {}
                    other => return Err(format!("cut after {cut}: {other:?}\n{}", record.text())),
                }
            }
            begin = activation.end;
        }
        Ok(())
    });
}
