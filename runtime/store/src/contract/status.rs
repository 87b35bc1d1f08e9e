//! The state of a run, and its stored number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A stored number that stands for no state that this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is the number of no state of a run that this build knows")]
pub struct UnknownRunStatus(pub u8);

macro_rules! statuses {
    ($($(#[$doc:meta])* $number:literal $name:ident,)*) => {
        /// The state of a run, as lists show it.
        ///
        /// Stored by its number, which is never used again for another state; in JSON it is its name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RunStatus {
            $($(#[$doc])* $name,)*
        }

        impl RunStatus {
            /// All states, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The stored number.
            #[must_use]
            pub fn number(self) -> u8 {
                match self { $(Self::$name => $number,)* }
            }

            /// The name, as people write it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }

        impl TryFrom<u8> for RunStatus {
            type Error = UnknownRunStatus;
            fn try_from(number: u8) -> Result<Self, UnknownRunStatus> {
                match number {
                    $($number => Ok(Self::$name),)*
                    other => Err(UnknownRunStatus(other)),
                }
            }
        }
    };
}

// Open states from 1, closed ones from 101.
statuses! {
    /// Open: it goes on.
    1 Running,
    /// Open: a saga unwinds.
    2 Compensating,
    /// Open: it cannot be activated; the head says why.
    3 Blocked,
    /// Open: an operator stopped it.
    4 Paused,
    /// Closed with a value.
    101 Completed,
    /// Closed with an error.
    102 Failed,
    /// Closed by a cancellation.
    103 Cancelled,
    /// Closed by the run or execution timeout.
    104 TimedOut,
    /// Closed at once by a client.
    105 Terminated,
    /// Closed; another run goes on.
    106 ContinuedAsNew,
}

impl RunStatus {
    /// Whether the run can still go on.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Compensating | Self::Blocked | Self::Paused)
    }
}

impl Serialize for RunStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(self.name())
        } else {
            serializer.serialize_u8(self.number())
        }
    }
}

impl<'de> Deserialize<'de> for RunStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Self::try_from(u8::deserialize(deserializer)?).map_err(serde::de::Error::custom);
        }
        let name = String::deserialize(deserializer)?;
        let known = Self::ALL.iter().copied().find(|status| status.name() == name);
        known.ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no state of a run")))
    }
}
