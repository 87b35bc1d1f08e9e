//! The envelope around every stored value.
//!
//! ```text
//! magic 2 | format 1 | kind 1 | version 1 | chunks 2 | length 4 | CRC-32C 4 | body
//! ```
//!
//! Numbers are big-endian. The checksum covers the key, the header before it and the body, so that neither a bit nor
//! a value under a wrong key goes unnoticed. A body that does not fit one value goes on under chunk keys: `chunks` is
//! their number, and the first body begins with the length and the checksum of the whole (4 bytes each).

use crate::key::{Key, Table, chunk_key};

/// The largest value; sled keeps a page of these within the log.
pub(crate) const VALUE_BYTES_MAX: usize = 4_096;
/// The format of envelopes and keys; a store with a higher one is left alone.
pub(crate) const FORMAT: u8 = 1;

const MAGIC: [u8; 2] = [0xd5, b'S'];
const HEADER: usize = 15;
const BODY_MAX: usize = VALUE_BYTES_MAX - HEADER;
/// Length and checksum of the whole, before the first part of a cut body.
const WHOLE: usize = 8;

/// What is wrong with stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    #[error("it is shorter than an envelope")]
    Short,
    #[error("it does not begin as an envelope does")]
    Magic,
    #[error("it has format {0}, this build reads {FORMAT}")]
    Format(u8),
    #[error("it is of kind {0}, which does not belong there")]
    Kind(u8),
    #[error("it has version {0}, which this build does not know")]
    Version(u8),
    #[error("its length is not the one in its envelope")]
    Length,
    #[error("its checksum does not match")]
    Checksum,
    #[error("a part of it is missing")]
    Chunk,
}

/// A value taken out of its envelope.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Opened<'a> {
    /// How many chunks follow.
    pub(crate) chunks: u16,
    pub(crate) body: &'a [u8],
}

/// Puts a body into one value, or into several under further keys. `None` if it is beyond what can be cut.
pub(crate) fn seal(key: &Key, version: u8, body: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let kind = key.table.number();
    if body.len() <= BODY_MAX {
        return Some(vec![(key.bytes().to_vec(), value(key.bytes(), kind, version, 0, &[body])?)]);
    }
    let mut whole = u32::try_from(body.len()).ok()?.to_be_bytes().to_vec();
    whole.extend_from_slice(&crc32c::crc32c(body).to_be_bytes());
    let (first, rest) = body.split_at(BODY_MAX - WHOLE);
    let chunks = u16::try_from(rest.len().div_ceil(BODY_MAX)).ok()?;
    let mut parts =
        vec![(key.bytes().to_vec(), value(key.bytes(), kind, version, chunks, &[&whole, first])?)];
    for (index, part) in (1..=chunks).zip(rest.chunks(BODY_MAX)) {
        let chunk = key.chunk(index);
        let sealed = value(&chunk, Table::Chunk.number(), 1, 0, &[part])?;
        parts.push((chunk, sealed));
    }
    Some(parts)
}

fn value(key: &[u8], kind: u8, version: u8, chunks: u16, parts: &[&[u8]]) -> Option<Vec<u8>> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + length);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[FORMAT, kind, version]);
    bytes.extend_from_slice(&chunks.to_be_bytes());
    bytes.extend_from_slice(&u32::try_from(length).ok()?.to_be_bytes());
    let mut crc = crc32c::crc32c_append(crc32c::crc32c(key), &bytes);
    for part in parts {
        crc = crc32c::crc32c_append(crc, part);
    }
    bytes.extend_from_slice(&crc.to_be_bytes());
    for part in parts {
        bytes.extend_from_slice(part);
    }
    Some(bytes)
}

/// Takes a value out of its envelope and checks everything that can be checked of it alone.
pub(crate) fn open<'a>(key: &[u8], kind: u8, version: u8, bytes: &'a [u8]) -> Result<Opened<'a>, Damage> {
    let (header, body) = bytes.split_at_checked(HEADER).ok_or(Damage::Short)?;
    let (covered, crc) = header.split_at(HEADER - 4);
    if covered[..2] != MAGIC {
        return Err(Damage::Magic);
    }
    let expected = crc32c::crc32c_append(crc32c::crc32c_append(crc32c::crc32c(key), covered), body);
    // A newer format may have its checksum elsewhere; so this comes first.
    if covered[2] != FORMAT {
        return Err(Damage::Format(covered[2]));
    }
    if crc != expected.to_be_bytes() {
        return Err(Damage::Checksum);
    }
    if covered[3] != kind {
        return Err(Damage::Kind(covered[3]));
    }
    if covered[4] != version {
        return Err(Damage::Version(covered[4]));
    }
    let length = u32::from_be_bytes([covered[7], covered[8], covered[9], covered[10]]);
    if usize::try_from(length) != Ok(body.len()) {
        return Err(Damage::Length);
    }
    Ok(Opened { chunks: u16::from_be_bytes([covered[5], covered[6]]), body })
}

/// Joins the parts of a cut body; `chunk_at` reads a further value.
pub(crate) fn join<E>(
    key: &[u8],
    first: &Opened<'_>,
    mut chunk_at: impl FnMut(&[u8]) -> Result<Option<sled::IVec>, E>,
) -> Result<Result<Vec<u8>, Damage>, E> {
    let Some((whole, part)) = first.body.split_at_checked(WHOLE) else { return Ok(Err(Damage::Length)) };
    let mut body = part.to_vec();
    for index in 1..=first.chunks {
        let chunk = chunk_key(key, index);
        let Some(bytes) = chunk_at(&chunk)? else { return Ok(Err(Damage::Chunk)) };
        match open(&chunk, Table::Chunk.number(), 1, &bytes) {
            Ok(opened) => body.extend_from_slice(opened.body),
            Err(damage) => return Ok(Err(damage)),
        }
    }
    let length = u32::from_be_bytes([whole[0], whole[1], whole[2], whole[3]]);
    if usize::try_from(length) != Ok(body.len()) {
        return Ok(Err(Damage::Length));
    }
    if whole[4..] != crc32c::crc32c(&body).to_be_bytes() {
        return Ok(Err(Damage::Checksum));
    }
    Ok(Ok(body))
}
