//! The only place that knows bincode: structs to bytes and back, with a limit, and nothing left over.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::limits::RECORD_BYTES_MAX;

/// Bytes that are not what they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CodecError(pub String);

/// Writes `value` in the stored format.
///
/// # Errors
///
/// [`CodecError`] if it is larger than [`RECORD_BYTES_MAX`] or its `Serialize` fails.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, CodecError> {
    let config = bincode::config::standard().with_limit::<RECORD_BYTES_MAX>();
    bincode::serde::encode_to_vec(value, config).map_err(|error| CodecError(error.to_string()))
}

/// Reads what [`encode`] wrote.
///
/// # Errors
///
/// [`CodecError`] if the bytes do not fit `T`, if some are left over, or if a length in them is beyond
/// [`RECORD_BYTES_MAX`].
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let config = bincode::config::standard().with_limit::<RECORD_BYTES_MAX>();
    let (value, consumed) =
        bincode::serde::decode_from_slice(bytes, config).map_err(|error| CodecError(error.to_string()))?;
    if consumed != bytes.len() {
        return Err(CodecError(format!("{} bytes are left over", bytes.len() - consumed)));
    }
    Ok(value)
}
