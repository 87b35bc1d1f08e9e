//! The outside world: what steps of sagas did to it, and what their undos took back.

use std::collections::BTreeMap;

use serde::Deserialize;
use steadfast_core::{AttemptError, IdempotencyKey, Payload};

use super::dice::Dice;

/// What became of one key.
#[derive(Debug, Default, Clone, Copy)]
struct Case {
    is_done: bool,
    /// It was undone: a late call does nothing any more.
    is_barred: bool,
}

#[derive(Deserialize)]
struct UndoInput {
    idempotency_key: String,
}

/// Services that know a case by its key.
#[derive(Debug, Default)]
pub(super) struct Outside {
    cases: BTreeMap<String, Case>,
}

impl Outside {
    pub(super) fn stands(&self, key: &IdempotencyKey) -> bool {
        self.cases.get(key.as_str()).is_some_and(|case| case.is_done)
    }

    /// A body ran, and came to this.
    pub(super) fn ran(
        &mut self,
        key: &IdempotencyKey,
        input: &Payload,
        result: &Result<Payload, AttemptError>,
        dice: &mut Dice,
    ) {
        let has_effect = match result {
            Ok(_) => true,
            Err(error) if error.says_nothing_happened() => false,
            Err(_) => dice.percent(50),
        };
        if !has_effect {
            return;
        }
        // What has a key of another call in its input undoes that one.
        match input.decode::<UndoInput>() {
            Ok(undo) => {
                self.cases.insert(undo.idempotency_key, Case { is_done: false, is_barred: true });
            }
            Err(_) => {
                let case = self.cases.entry(key.as_str().to_owned()).or_default();
                case.is_done = !case.is_barred;
            }
        }
    }

    /// A body was cut off: nobody knows how far it came.
    pub(super) fn cut_off(&mut self, key: &IdempotencyKey, input: &Payload, dice: &mut Dice) {
        self.ran(key, input, &Err(AttemptError::WorkerLost), dice);
    }
}
