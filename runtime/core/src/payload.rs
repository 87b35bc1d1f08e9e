//! User values as they are recorded: bytes with the name of their encoding.
//!
//! JSON is the default, because people read histories and types evolve. This module never looks into a value;
//! it only joins whole JSON texts where the design says so (the input of an undo).

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// How the bytes of a [`Payload`] are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8 JSON text.
    Json,
    /// Bytes that only the user's program understands.
    Binary,
}

/// A recorded user value. Cheap to clone; its bytes are shared.
///
/// ```
/// use steadfast_core::Payload;
/// let payload = Payload::json(&vec![1, 2]).unwrap();
/// assert_eq!(payload.bytes(), b"[1,2]");
/// assert_eq!(payload.decode::<Vec<u8>>().unwrap(), [1, 2]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    encoding: Encoding,
    bytes: Arc<[u8]>,
}

/// A value that could not be written to, or read from, a [`Payload`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct PayloadError(pub String);

/// A value larger than the run's limit. It is never cut short and never retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{what} is {size} bytes, the limit is {limit}")]
pub struct PayloadTooLarge {
    /// What was too large, in words: "result of `book_hotel`".
    pub what: String,
    /// Its size in bytes.
    pub size: u64,
    /// The limit in bytes, as pinned when the run started.
    pub limit: u64,
}

impl Payload {
    /// Writes `value` as JSON.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] if the value's own `Serialize` fails, or a map key is not a string.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, PayloadError> {
        let bytes = serde_json::to_vec(value).map_err(|error| PayloadError(error.to_string()))?;
        Ok(Self { encoding: Encoding::Json, bytes: bytes.into() })
    }

    /// A payload of bytes in a given encoding, unchecked.
    #[must_use]
    pub fn new(encoding: Encoding, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { encoding, bytes: bytes.into() }
    }

    /// The JSON value `null`: what a function without a result returns.
    #[must_use]
    pub fn null() -> Self {
        Self { encoding: Encoding::Json, bytes: Arc::from(*b"null") }
    }

    /// Reads the value back.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] with the place in the text if the bytes do not fit `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        match self.encoding {
            Encoding::Json => {
                serde_json::from_slice(&self.bytes).map_err(|error| PayloadError(error.to_string()))
            }
            Encoding::Binary => Err(PayloadError("the value is not JSON".to_owned())),
        }
    }

    /// How the bytes are to be read.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Refuses the value if it is larger than `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`PayloadTooLarge`], naming `what`.
    pub fn check_size(&self, limit: u64, what: impl FnOnce() -> String) -> Result<(), PayloadTooLarge> {
        if self.size() <= limit {
            return Ok(());
        }
        Err(PayloadTooLarge { what: what(), size: self.size(), limit })
    }

    /// The value as JSON text that can stand inside other JSON text.
    pub(crate) fn raw(&self) -> Option<Box<RawValue>> {
        match self.encoding {
            Encoding::Json => RawValue::from_string(String::from_utf8(self.bytes.to_vec()).ok()?).ok(),
            Encoding::Binary => None,
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        match (self.encoding, std::str::from_utf8(&self.bytes)) {
            (Encoding::Json, Ok(text)) if text.len() <= SHOWN => f.write_str(text),
            _ => write!(f, "<{} bytes>", self.bytes.len()),
        }
    }
}

/// What a reader of exported JSON sees.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Readable {
    Json(Box<RawValue>),
    Binary(Vec<u8>),
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let readable = self.raw().map_or_else(|| Readable::Binary(self.bytes.to_vec()), Readable::Json);
            return readable.serialize(serializer);
        }
        (self.encoding, serde_bytes::Bytes::new(&self.bytes)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Ok(match Readable::deserialize(deserializer)? {
                Readable::Json(raw) => Self::new(Encoding::Json, raw.get().as_bytes()),
                Readable::Binary(bytes) => Self::new(Encoding::Binary, bytes),
            });
        }
        let (encoding, bytes) = <(Encoding, serde_bytes::ByteBuf)>::deserialize(deserializer)?;
        Ok(Self::new(encoding, bytes.into_vec()))
    }
}
