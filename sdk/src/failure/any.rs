//! The error for code that has no error type of its own.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast_core::{Disposition, Severity};

use super::Failure;
use super::record::causes_of;

/// Any error, as a text with its causes. `?` makes one of every std error; it is retryable then.
///
/// For activities and steps whose workflow does not look into the error. It is a [`Failure`], but no
/// `std::error::Error` itself (as with other catch-all errors, the two exclude each other).
///
/// ```
/// use steadfast::{AnyFailure, Failure as _};
///
/// fn port(text: &str) -> Result<u16, AnyFailure> {
///     let port: u16 = text.parse()?;
///     if port < 1024 {
///         return Err(AnyFailure::non_retryable("this port is reserved"));
///     }
///     Ok(port)
/// }
///
/// assert_eq!(port("many").unwrap_err().to_string(), "invalid digit found in string");
/// assert_eq!(port("80").unwrap_err().to_string(), "this port is reserved");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnyFailure {
    message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    causes: Vec<String>,
    disposition: Disposition,
}

impl AnyFailure {
    /// An error after which the attempt is made again; whether something happened outside is unknown.
    pub fn retryable(message: impl fmt::Display) -> Self {
        Self::new(message, Disposition::Retryable { after: None, no_effect: false })
    }

    /// An error after which the attempt is made again, and that says that nothing happened outside.
    pub fn no_effect(message: impl fmt::Display) -> Self {
        Self::new(message, Disposition::Retryable { after: None, no_effect: true })
    }

    /// An error after which the attempt is made again, but not before `wait` has passed.
    pub fn retry_after(wait: Duration, message: impl fmt::Display) -> Self {
        Self::new(message, Disposition::Retryable { after: Some(wait), no_effect: false })
    }

    /// An error that is final, and that says that nothing happened outside.
    pub fn non_retryable(message: impl fmt::Display) -> Self {
        Self::new(message, Disposition::NonRetryable)
    }

    /// An error that is final, and that says that something was begun outside: a saga undoes the step.
    pub fn compensate(severity: Severity, message: impl fmt::Display) -> Self {
        Self::new(message, Disposition::Compensate { severity })
    }

    fn new(message: impl fmt::Display, disposition: Disposition) -> Self {
        Self { message: message.to_string(), causes: Vec::new(), disposition }
    }
}

impl<E: Error> From<E> for AnyFailure {
    fn from(error: E) -> Self {
        Self { causes: causes_of(&error), ..Self::retryable(error) }
    }
}

impl fmt::Display for AnyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for AnyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyFailure({:?}", self.message)?;
        for cause in &self.causes {
            write!(f, ": {cause:?}")?;
        }
        f.write_str(")")
    }
}

impl Failure for AnyFailure {
    const NAME: &'static str = "AnyFailure";

    fn disposition(&self) -> Disposition {
        self.disposition.clone()
    }

    fn causes(&self) -> Vec<String> {
        self.causes.clone()
    }
}
