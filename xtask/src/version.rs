//! Version numbers of tools.

use std::fmt;
use std::str::FromStr;

/// The part of a version that compatibility depends on; a patch level and what follows it are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
}

/// A text that holds no version.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a version such as 1.95 or 1.95.0")]
pub(crate) struct NotAVersion(String);

impl Version {
    /// The first version in a line such as `rustc 1.95.0 (59807616e 2026-04-14)`.
    ///
    /// # Errors
    /// When the line holds none.
    pub(crate) fn find_in(line: &str) -> Result<Self, NotAVersion> {
        let found = line.split_whitespace().find_map(|word| word.parse().ok());
        found.ok_or_else(|| NotAVersion(line.trim().to_owned()))
    }
}

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let mut parts = text.split(['.', '-']);
        let mut next = || parts.next().and_then(|part| part.parse().ok());
        match (next(), next()) {
            (Some(major), Some(minor)) => Ok(Self { major, minor }),
            _ => Err(NotAVersion(text.to_owned())),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn version(text: &str) -> Version {
        Version::find_in(text).expect("a version")
    }

    #[test]
    fn versions_are_found_and_compared_as_numbers() {
        assert_eq!(version("rustc 1.95.0 (59807616e 2026-04-14)"), version("1.95"));
        assert_eq!(version("rustc 1.97.0-nightly (abc 2026-05-01)"), version("1.97"));
        assert!(version("rustc 1.100.0") > version("1.95"));
        assert!(version("2.0") > version("1.95.3"));
    }

    #[test]
    fn a_line_without_a_version_is_an_error() {
        let error = Version::find_in("no toolchain here").expect_err("it has no version");
        assert_eq!(error.to_string(), "`no toolchain here` is not a version such as 1.95 or 1.95.0");
    }
}
