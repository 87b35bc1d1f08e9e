//! What can be recorded: inputs, results, heartbeat details.

use serde::Serialize;
use serde::de::DeserializeOwned;
use steadfast_core::{Payload, PayloadError};

/// A value that can stand in a history: it serializes with serde, owns what it holds, and may change threads.
///
/// Nobody implements this by hand: every type that derives `Serialize` and `Deserialize` and borrows nothing has it.
/// Values are recorded as JSON, which people read and which lets types grow: a field that is added later needs
/// `#[serde(default)]`, so that histories recorded before still fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded in a history",
    label = "inputs and results derive `Serialize` and `Deserialize`, own what they hold, and are `Send`",
    note = "for a type of your own add `#[derive(serde::Serialize, serde::Deserialize)]`"
)]
pub trait Data: Sized {
    /// Writes the value as it is recorded.
    #[doc(hidden)]
    fn to_payload(&self) -> Result<Payload, PayloadError>;

    /// Reads a recorded value.
    #[doc(hidden)]
    fn from_payload(payload: &Payload) -> Result<Self, PayloadError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send + 'static> Data for T {
    fn to_payload(&self) -> Result<Payload, PayloadError> {
        Payload::json(self)
    }

    fn from_payload(payload: &Payload) -> Result<Self, PayloadError> {
        payload.decode()
    }
}
