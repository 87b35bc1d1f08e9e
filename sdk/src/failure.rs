//! Errors of activities: what they must be, and what they say should happen next.

mod any;
mod record;

use std::fmt::{Debug, Display};

use steadfast_core::Disposition;

use crate::data::Data;

pub use self::any::AnyFailure;
pub(crate) use self::record::{causes_of, read, record};

/// The error of an activity: recorded, and handed to the workflow typed and equal to what the activity returned.
///
/// It is derived; marks on the variants say what should happen next:
///
/// | Mark | Meaning |
/// | --- | --- |
/// | none, or `retryable` | try again by the retry policy; whether something happened outside is unknown |
/// | `no_effect` | the attempt is known to have changed nothing outside: a saga need not undo it |
/// | `retry_after = field` | try again, but not before the `Duration` in that field has passed |
/// | `non_retryable` | give up at once; nothing happened outside |
/// | `compensate` | give up at once; something was begun outside and a saga undoes it |
/// | `severity = "alert"` | with `compensate`: the run is also marked needs-attention; `"auto"`, the default, is silent |
/// | `severity = "intervene"` | the same, and nothing of the saga is undone before an operator approves |
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Disposition, Failure, Severity};
///
/// #[derive(Debug, thiserror::Error, serde::Serialize, serde::Deserialize, Failure)]
/// enum BankError {
///     #[error("card declined")]
///     #[failure(non_retryable)]
///     Declined,
///     #[error("the bank asks to wait")]
///     #[failure(retry_after = wait, no_effect)]
///     Busy { wait: Duration },
///     #[error("charged, and not booked")]
///     #[failure(compensate, severity = "alert")]
///     Unbooked,
///     #[error("network: {0}")]
///     Network(String),
/// }
///
/// assert_eq!(BankError::Declined.disposition(), Disposition::NonRetryable);
/// let busy = BankError::Busy { wait: Duration::from_secs(5) };
/// let expected = Disposition::Retryable { after: Some(Duration::from_secs(5)), no_effect: true };
/// assert_eq!(busy.disposition(), expected);
/// assert_eq!(BankError::Unbooked.disposition(), Disposition::Compensate { severity: Severity::Alert });
/// ```
///
/// `#[failure(crate = path)]` on the type names this package where it has another name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of an activity",
    label = "derive `Failure`, with `Debug`, `thiserror::Error`, `Serialize` and `Deserialize`",
    note = "`steadfast::AnyFailure` stands for any error: `?` makes one of every std error"
)]
pub trait Failure: Display + Debug + Data + Send + 'static {
    /// The name of the type, by which retry policies know it.
    const NAME: &'static str;

    /// What should happen next.
    fn disposition(&self) -> Disposition;

    /// The texts of the causes, outermost first. The derive takes them from `std::error::Error::source`.
    fn causes(&self) -> Vec<String> {
        Vec::new()
    }
}
