//! Everything in an activity that can panic.

use serde::{Deserializer, Serializer};
use steadfast::prelude::*;

/// Where in the body it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum How {
    /// In the body itself, with a text that is formatted.
    Directly,
    /// The same, with a text that is constant.
    Constantly,
    /// In a spawned task; the body unwraps what its handle says.
    Spawned,
    /// The same; the body lets the panic go on.
    Resumed,
    /// While the details of a heartbeat are written.
    HeartbeatDetails,
    /// While the result is written.
    Output,
    /// With a payload that is no text.
    Number,
    /// With a payload that panics when it is dropped.
    DropsBadly,
    /// While something that the body holds is dropped, at its end.
    AtItsEnd,
    /// While the text of its error is made.
    ErrorText,
}

const TEXT: &str = "it went off";
const NO_TEXT: &str = "non-text payload";

impl How {
    pub(crate) const ALL: [Self; 10] = [
        Self::Directly,
        Self::Constantly,
        Self::Spawned,
        Self::Resumed,
        Self::HeartbeatDetails,
        Self::Output,
        Self::Number,
        Self::DropsBadly,
        Self::AtItsEnd,
        Self::ErrorText,
    ];

    pub(crate) async fn go_off(self, ctx: &ActivityContext) -> Result<Bomb, AnyFailure> {
        match self {
            Self::Directly => panic!("{TEXT} in attempt {}", ctx.attempt()),
            Self::Constantly => panic!("it went off"),
            Self::Spawned => {
                let child = tokio::spawn(async { panic!("{TEXT}") });
                #[expect(clippy::expect_used, reason = "to panic is what it is here for")]
                child.await.expect("the child")
            }
            Self::Resumed => match tokio::spawn(async { panic!("{TEXT}") }).await {
                Ok(never) => never,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            Self::HeartbeatDetails => {
                ctx.heartbeat(Bomb)?;
                Err(AnyFailure::non_retryable("the heartbeat was taken"))
            }
            Self::Output => Ok(Bomb),
            Self::Number => std::panic::panic_any(42_u32),
            Self::DropsBadly => std::panic::panic_any(DropsBadly),
            Self::AtItsEnd => {
                let _held = DropsBadly;
                Err(AnyFailure::non_retryable("the body came to its end"))
            }
            Self::ErrorText => Err(AnyFailure::retryable(Bomb)),
        }
    }

    /// Whether this is what is told of it.
    pub(crate) fn is_told(self, message: &str) -> bool {
        match self {
            Self::Directly => message.starts_with("it went off in attempt "),
            Self::Spawned => message.starts_with("the child: ") && message.contains(TEXT),
            Self::Number | Self::DropsBadly => message == NO_TEXT,
            Self::Constantly
            | Self::Resumed
            | Self::HeartbeatDetails
            | Self::Output
            | Self::AtItsEnd
            | Self::ErrorText => message == TEXT,
        }
    }
}

/// A value that cannot be written.
#[derive(Debug)]
pub(crate) struct Bomb;

impl Serialize for Bomb {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("{TEXT}")
    }
}

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self)
    }
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("{TEXT}")
    }
}

/// A value whose destructor panics.
pub(crate) struct DropsBadly;

impl Drop for DropsBadly {
    fn drop(&mut self) {
        panic!("{TEXT}");
    }
}
