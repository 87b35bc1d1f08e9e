//! Keys: one tree for everything, a byte for the table, the namespace's number, then what the table is sorted by.
//!
//! Numbers are big-endian, so that keys sort as they count. Times in the list of runs are inverted: newest first.
//!
//! **Invariant**: within one table no key is the beginning of another one, and a key is at most about 230 bytes long,
//! whatever the length of ids: longer ones stand in keys as a digest and in full in their row. (sled keeps up to 256
//! keys in one page, and a page above 128 KiB would go to a file that it never syncs.)

use steadfast_core::{RunId, ShardId, Timestamp};

macro_rules! tables {
    ($($(#[$doc:meta])* $number:literal $variant:ident $name:literal,)*) => {
        /// The kinds of rows. The number is the first byte of the key and the kind in the envelope; it is never
        /// used again for something else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Table {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Table {
            pub(crate) fn number(self) -> u8 {
                self as u8
            }

            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

tables! {
    /// What the database is.
    1 Format "format",
    /// Namespaces by name.
    2 Namespace "namespace",
    /// How far a namespace is: commits, time, sessions.
    3 Progress "progress",
    /// Owners and epochs.
    4 Shard "shard",
    5 Head "head",
    6 History "history",
    7 Item "item",
    8 Current "current",
    9 Request "request",
    10 Due "due",
    11 Listing "listing",
    12 Mail "mail",
    13 Inbox "inbox",
    14 Task "task",
    15 DeadLetter "dead letter",
    /// The rest of values that are too large for one key.
    16 Chunk "chunk",
    /// Of all shards.
    17 Breaker "breaker",
}

/// The longest text that stands in a key as it is.
const TEXT_BYTES_MAX: usize = 96;
/// Marks a digest where the length of a text stands otherwise.
const DIGEST: u8 = u8::MAX;

/// A key, built from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) table: Table,
    bytes: Vec<u8>,
}

impl Key {
    /// The beginning of all keys of a table.
    pub(crate) fn of_table(table: Table) -> Self {
        let mut bytes = Vec::with_capacity(48);
        bytes.push(table.number());
        Self { table, bytes }
    }

    /// The beginning of all keys of a namespace in a table.
    pub(crate) fn new(table: Table, namespace: u16) -> Self {
        Self::of_table(table).short(namespace)
    }

    /// The beginning of all keys of a shard in a table.
    pub(crate) fn in_shard(table: Table, namespace: u16, shard: ShardId) -> Self {
        Self::new(table, namespace).short(shard.0)
    }

    pub(crate) fn short(mut self, number: u16) -> Self {
        self.bytes.extend_from_slice(&number.to_be_bytes());
        self
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        self.bytes.extend_from_slice(&number.to_be_bytes());
        self
    }

    pub(crate) fn run(mut self, run: RunId) -> Self {
        self.bytes.extend_from_slice(run.as_bytes());
        self
    }

    /// A place in the list of runs: later ones sort first.
    pub(crate) fn newest_first(mut self, at: Timestamp, run: RunId) -> Self {
        self.bytes.extend_from_slice(&(!at.as_micros()).to_be_bytes());
        self.bytes.extend(run.as_bytes().iter().map(|byte| !byte));
        self
    }

    /// A text: as it is with its length before it, or a digest.
    pub(crate) fn text(mut self, text: &str) -> Self {
        match u8::try_from(text.len()) {
            Ok(length) if text.len() <= TEXT_BYTES_MAX => {
                self.bytes.push(length);
                self.bytes.extend_from_slice(text.as_bytes());
            }
            _ => {
                self.bytes.push(DIGEST);
                self.bytes.extend_from_slice(&digest(text.as_bytes()).to_be_bytes());
            }
        }
        self
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The key of a further chunk of the value under this key.
    pub(crate) fn chunk(&self, index: u16) -> Vec<u8> {
        chunk_key(&self.bytes, index)
    }

    /// The first key behind all that begin with this one.
    pub(crate) fn end(&self) -> Vec<u8> {
        let mut end = self.bytes.clone();
        while let Some(last) = end.pop() {
            if let Some(next) = last.checked_add(1) {
                end.push(next);
                break;
            }
        }
        end
    }
}

/// The key of a further chunk of the value under `key`.
pub(crate) fn chunk_key(key: &[u8], index: u16) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.len() + 3);
    bytes.push(Table::Chunk.number());
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(&index.to_be_bytes());
    bytes
}

/// Whether a text stands in keys as a digest, so that its row must hold it.
pub(crate) fn is_digested(text: &str) -> bool {
    text.len() > TEXT_BYTES_MAX
}

/// FNV-1a with 128 bits (Fowler, Noll, Vo): part of the stored format, so it never changes.
fn digest(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// A key for people: what cannot be read is named by it.
pub(crate) fn place(table: Table, key: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = format!("row of table `{}`, key ", table.name());
    for byte in key {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
