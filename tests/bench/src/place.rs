//! Where the store of a workload lies.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The bytes of a block, in which the file system counts.
const BLOCK: u64 = 512;

/// The address of a store, and the directory that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    url: String,
    dir: Option<PathBuf>,
}

impl Place {
    /// Whether the address is one is left to whoever opens it.
    pub(crate) fn parse(url: &str) -> Self {
        let dir = match url.split_once(':') {
            None => Some(PathBuf::from(url)),
            Some(("sled", dir)) => Some(PathBuf::from(dir.strip_prefix("//").unwrap_or(dir))),
            Some(_) => None,
        };
        Self { url: url.to_owned(), dir }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The directory, if the store lies in one.
    pub(crate) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The directory of a workload that has one.
    pub(crate) fn directory(&self) -> anyhow::Result<&Path> {
        self.dir().with_context(|| format!("`{}` is no directory", self.url))
    }

    /// Refuses a directory with something in it: what was there would be measured too.
    pub(crate) fn check_empty(&self) -> anyhow::Result<()> {
        let Some(dir) = self.dir() else { return Ok(()) };
        let is_empty = match fs::read_dir(dir) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            Err(error) => return Err(error).with_context(|| format!("cannot look into {}", dir.display())),
        };
        if !is_empty {
            bail!("{} is not empty: name a new directory, or remove it first", dir.display());
        }
        Ok(())
    }

    /// What the files occupy on the disk, in bytes.
    pub(crate) fn disk_bytes(&self) -> anyhow::Result<Option<u64>> {
        self.dir().map(occupied).transpose()
    }
}

fn occupied(path: &Path) -> anyhow::Result<u64> {
    let failed = || format!("cannot measure {}", path.display());
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        // A file that is replaced meanwhile.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(failed),
    };
    if !about.is_dir() {
        return Ok(about.blocks() * BLOCK);
    }
    let mut sum = 0;
    for entry in fs::read_dir(path).with_context(failed)? {
        sum += occupied(&entry.with_context(failed)?.path())?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_an_address_is_known() {
        for (url, dir) in [
            ("./a/b", Some("./a/b")),
            ("/a", Some("/a")),
            ("sled:./a", Some("./a")),
            ("sled:///a", Some("/a")),
            ("memory:", None),
            ("other://host/name", None),
        ] {
            assert_eq!(Place::parse(url).dir(), dir.map(Path::new), "{url}");
        }
    }

    #[test]
    fn files_are_counted_in_all_folders_and_refused_at_the_start() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = Place::parse(&dir.path().display().to_string());
        place.check_empty().expect("it is empty");
        let before = place.disk_bytes().expect("it is there").expect("a directory");
        fs::create_dir(dir.path().join("inner")).expect("a folder");
        fs::write(dir.path().join("inner/file"), vec![7; 100_000]).expect("a file");
        let after = place.disk_bytes().expect("it is there").expect("a directory");
        assert!(after - before >= 100_000, "{before} {after}");
        assert!(place.check_empty().expect_err("it has a file").to_string().contains("is not empty"));
    }
}
