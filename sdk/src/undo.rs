//! What an undo is told about the step that it undoes.

use serde::{Deserialize, Serialize};
use steadfast_core::Effect;

use crate::activity::Activity;

/// The input of an undo: everything that is known of the step.
///
/// An undo is an activity like any other, with this as its one input. It may be called for a step that never took
/// effect (its outcome is unknown), so an undo that finds nothing to undo succeeds. If the service can, it also bars
/// the step's key, so that a call of the step that is still on its way has no effect when it arrives.
///
/// ```
/// use steadfast::prelude::*;
///
/// #[activity(compensate = cancel_hotel)]
/// async fn book_hotel(ctx: ActivityContext, hotel: String) -> Result<u64, AnyFailure> {
///     # let _ = (ctx, hotel);
///     Ok(17)
/// }
///
/// #[activity]
/// async fn cancel_hotel(step: UndoOf<book_hotel>) -> Result<(), AnyFailure> {
///     match step.output {
///         Some(booking) => println!("cancel booking {booking}"),
///         None => println!("cancel whatever was booked under {}", step.idempotency_key),
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo<I, O> {
    /// What the step was called with.
    pub input: I,
    /// What the step returned; `None` if it never did.
    pub output: Option<O>,
    /// The step's idempotency key, the same in all its attempts.
    pub idempotency_key: String,
    /// What is known of the step's effect.
    #[serde(with = "effect")]
    pub effect: Effect,
}

/// The input of an undo of the activity `A`: `async fn cancel_hotel(step: UndoOf<book_hotel>)`.
pub type UndoOf<A> = Undo<<A as Activity>::Input, <A as Activity>::Output>;

/// An effect in lower case, as it stands in the history.
mod effect {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use steadfast_core::Effect;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        None,
        Done,
        Unknown,
    }

    pub(super) fn serialize<S: Serializer>(effect: &Effect, serializer: S) -> Result<S::Ok, S::Error> {
        let word = match effect {
            Effect::None => Word::None,
            Effect::Done => Word::Done,
            Effect::Unknown => Word::Unknown,
        };
        word.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Effect, D::Error> {
        Ok(match Word::deserialize(deserializer)? {
            Word::None => Effect::None,
            Word::Done => Effect::Done,
            Word::Unknown => Effect::Unknown,
        })
    }
}

#[cfg(test)]
mod tests;
