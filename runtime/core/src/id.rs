//! Identifiers: what a user names is validated once, when the newtype is made.
//!
//! **Invariant**: a value of one of these types is 1 to [`ID_BYTES_MAX`] bytes long and not blank, so that no
//! store ever sees an empty key.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The longest name or id that is accepted, in bytes.
pub const ID_BYTES_MAX: usize = 1_000;

/// A name or id that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {problem}; use 1 to {ID_BYTES_MAX} bytes that are not all blanks")]
pub struct InvalidId {
    what: &'static str,
    problem: String,
}

fn validate(what: &'static str, text: &str) -> Result<(), InvalidId> {
    let problem = if text.is_empty() {
        "is empty".to_owned()
    } else if text.len() > ID_BYTES_MAX {
        format!("is {} bytes long", text.len())
    } else if text.trim().is_empty() {
        "is blank".to_owned()
    } else if text.contains('\0') {
        "contains a zero character".to_owned()
    } else {
        return Ok(());
    };
    Err(InvalidId { what, problem })
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        ///
        /// Cheap to clone. Ordered by its bytes.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and wraps `text`.
            ///
            /// # Errors
            ///
            /// [`InvalidId`] if `text` is empty, blank, holds a zero character or is longer than
            /// [`ID_BYTES_MAX`] bytes.
            pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidId> {
                let text = text.as_ref();
                validate($what, text)?;
                Ok(Self(text.into()))
            }

            /// The text itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.as_str().to_owned()
            }
        }
    };
}

text_id!(
    /// Keeps programs apart in one store: every key and row starts with it.
    Namespace, "the namespace"
);
text_id!(
    /// The user's key of a workflow; at most one run of it is open at a time.
    WorkflowId, "the workflow id"
);
text_id!(
    /// The name under which a workflow function is registered.
    WorkflowType, "the workflow type"
);
text_id!(
    /// The name under which an activity is registered.
    ActivityName, "the activity name"
);
text_id!(
    /// The name of a task queue.
    QueueName, "the task queue name"
);
text_id!(
    /// What makes a repeated call of a client one call.
    RequestId, "the request id"
);
text_id!(
    /// What makes a repeated call of an activity one effect outside.
    IdempotencyKey, "the idempotency key"
);

/// One execution of a workflow, unique for ever. Shown as a UUID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(uuid::Uuid);

impl RunId {
    /// A run id that sorts by the time it was made: `at_millis` since 1970 and ten random bytes (UUID v7).
    #[must_use]
    pub fn new(at_millis: u64, random: &[u8; 10]) -> Self {
        Self(uuid::Builder::from_unix_timestamp_millis(at_millis, random).into_uuid())
    }

    /// The sixteen bytes, most significant first.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// A run id from its sixteen bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Uuid::from_bytes(bytes))
    }

    /// Reads the usual text form.
    ///
    /// # Errors
    ///
    /// [`InvalidId`] if `text` is no UUID.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let uuid = uuid::Uuid::parse_str(text)
            .map_err(|error| InvalidId { what: "the run id", problem: format!("is no UUID ({error})") })?;
        Ok(Self(uuid))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident, $number:ty) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_id!(
    /// The place of an event in its history: 1 for the first, then without a gap.
    EventId, u64
);
number_id!(
    /// One of the parts into which a namespace is divided; a workflow id hashes to one.
    ShardId, u16
);
number_id!(
    /// How often a shard has changed hands. A write under an old epoch is refused.
    Epoch, u64
);
number_id!(
    /// One life of an engine process, or of a worker in it: grants belong to it and end with it.
    SessionId, u64
);

impl EventId {
    /// The id of the event that follows.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl WorkflowId {
    /// The shard of this workflow in a namespace of `shard_count` shards.
    ///
    /// The hash is FNV-1a (Fowler, Noll, Vo; 64 bits), folded: part of the stored format, so it never changes.
    #[must_use]
    pub fn shard(&self, shard_count: u16) -> ShardId {
        let hash = self.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
        let shard = folded % u64::from(shard_count.max(1));
        ShardId(u16::try_from(shard).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
