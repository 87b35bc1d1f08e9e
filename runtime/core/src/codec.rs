//! The only place that knows bincode: structs to bytes and back, with a limit, and nothing left over.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::limits::RECORD_BYTES_MAX;

/// What a decoder may claim: a number is stored in as little as an eighth of what it is counted for.
const CLAIMED_MAX: usize = 8 * RECORD_BYTES_MAX;

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
    let bytes = bincode::serde::encode_to_vec(value, bincode::config::standard())
        .map_err(|error| CodecError(error.to_string()))?;
    // The library itself looks at a limit only when it reads: what it could not read again is not written.
    check_length(&bytes)?;
    Ok(bytes)
}

/// Reads what [`encode`] wrote.
///
/// # Errors
///
/// [`CodecError`] if the bytes do not fit `T`, if some are left over, or if there are more than
/// [`RECORD_BYTES_MAX`].
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    check_length(bytes)?;
    let config = bincode::config::standard().with_limit::<CLAIMED_MAX>();
    let (value, consumed) =
        bincode::serde::decode_from_slice(bytes, config).map_err(|error| CodecError(error.to_string()))?;
    if consumed != bytes.len() {
        return Err(CodecError(format!("{} bytes are left over", bytes.len() - consumed)));
    }
    Ok(value)
}

fn check_length(bytes: &[u8]) -> Result<(), CodecError> {
    if bytes.len() <= RECORD_BYTES_MAX {
        return Ok(());
    }
    Err(CodecError(format!("{} bytes are more than a record may have, {RECORD_BYTES_MAX}", bytes.len())))
}
