//! The end of the log, kept while sled opens.
//!
//! sled takes whatever it cannot read at the end of its log for a write that a crash cut off, overwrites it and
//! replaces its snapshot. If the store then finds that acknowledged groups are missing, it was damage: so what sled may
//! overwrite (the segments not yet marked stable, in general one or two; all of them if the header of one is damaged)
//! stands in `steadfast.kept/` until the store has opened well. What an opening that failed or was killed left there is
//! older and stays.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use steadfast_store::StoreError;

use super::names;
use crate::error::file_error;

const NAME: &str = "steadfast.kept";
const SEGMENT: u64 = 512 * 1024;
const HEADER: usize = 20;
/// sled stores numbers in segment headers inverted.
const INVERTED: u64 = 0x7fff_ffff_ffff_ffff;

/// Where the kept bytes are.
pub(crate) fn place(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Keeps what sled may overwrite, unless an earlier opening left something.
pub(super) fn keep(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join("db");
    let read = || File::open(&path).and_then(|log| Ok((Segments::of(&log)?, log)));
    let (segments, log) = read().map_err(|error| file_error("read", &path, error))?;
    if segments.whole.is_empty() {
        // sled would begin a new log in its place.
        return Err(StoreError::corrupt(path.display(), "no segment of the log has a whole header"));
    }
    let kept = place(dir);
    if kept.exists() {
        return Ok(());
    }
    let new = dir.join(format!("{NAME}.new"));
    remove(&new)?;
    let copy = || -> io::Result<()> {
        fs::create_dir(&new)?;
        for offset in segments.unstable() {
            fs::write(new.join(format!("db-at-{offset}")), read_segment(&log, offset)?)?;
        }
        Ok(())
    };
    copy().map_err(|error| file_error("keep the end of the log in", &new, error))?;
    for name in names(dir)?.into_iter().filter(|name| name.starts_with("snap.")) {
        let from = dir.join(&name);
        fs::copy(&from, new.join(&name)).map_err(|error| file_error("copy", &from, error))?;
    }
    fs::rename(&new, &kept).map_err(|error| file_error("rename", &new, error))
}

/// Removes what was kept: the store has opened well.
pub(crate) fn forget(dir: &Path) -> Result<(), StoreError> {
    remove(&place(dir))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_error("remove", path, error)),
        _ => Ok(()),
    }
}

/// What the headers of a log say.
struct Segments {
    length: u64,
    /// The position in the log and the offset in the file of those whose header is whole.
    whole: Vec<(u64, u64)>,
    /// The highest position that any of them calls stable.
    stable: u64,
    /// Whether the header of one is damaged.
    is_damaged: bool,
}

impl Segments {
    fn of(log: &File) -> io::Result<Self> {
        let length = log.metadata()?.len();
        let mut segments = Self { length, whole: Vec::new(), stable: 0, is_damaged: false };
        for offset in (0..length).step_by(512 * 1024) {
            let mut header = [0; HEADER];
            if length - offset < HEADER as u64 {
                break;
            }
            log.read_exact_at(&mut header, offset)?;
            match parse(&header) {
                Some((position, stable_to)) => {
                    segments.stable = segments.stable.max(stable_to);
                    segments.whole.push((position, offset));
                }
                None => segments.is_damaged |= header.iter().any(|byte| *byte != 0),
            }
        }
        Ok(segments)
    }

    /// The offsets of segments that are not below the highest position that any segment calls stable.
    fn unstable(&self) -> Vec<u64> {
        if self.is_damaged {
            // sled takes a segment whose header is damaged for an empty one, and goes on writing before it, in any
            // segment that is free.
            return (0..self.length).step_by(512 * 1024).collect();
        }
        let lowest = self.stable / SEGMENT * SEGMENT;
        self.whole.iter().filter(|(position, _)| *position >= lowest).map(|(_, offset)| *offset).collect()
    }
}

fn read_segment(log: &File, offset: u64) -> io::Result<Vec<u8>> {
    let left = log.metadata()?.len().saturating_sub(offset).min(SEGMENT);
    let mut bytes = vec![0; usize::try_from(left).unwrap_or(0)];
    log.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

/// The position of a segment in the log and the highest one known to be stable when it was begun; `None` if the
/// header is not whole.
fn parse(header: &[u8; HEADER]) -> Option<(u64, u64)> {
    let (crc, numbers) = header.split_at(4);
    if crc != (!crc32(numbers)).to_le_bytes() {
        return None;
    }
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?) ^ INVERTED);
    let stable = number(&numbers[8..])?;
    // Nothing was stable yet: a negative number there.
    Some((number(&numbers[..8])?, if stable > INVERTED { 0 } else { stable }))
}

/// CRC-32 as sled uses it (IEEE 802.3), a bit at a time: it is for sixteen bytes a segment.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}
