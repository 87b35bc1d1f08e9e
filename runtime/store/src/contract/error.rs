//! What can go wrong in a store, by the kind on which the engine branches. Nobody matches on texts.

/// What the caller can do about a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store cannot be reached or is busy: the same call may succeed later. Nothing is known of its effect.
    Unavailable,
    /// The store gave up after a failed write or sync: reopen it.
    Poisoned,
    /// A record cannot be read; it was left as it is.
    Corrupt,
    /// There is no room: disk full or a configured limit. If a commit fails so, the store may be poisoned from then
    /// on: reopen it, as for [`StoreErrorKind::Poisoned`].
    Full,
    /// Somebody else holds the store.
    Held,
    /// The files or tables may be read but not written.
    ReadOnly,
    /// The files or tables were made by a newer version, or by another program.
    Foreign,
    /// The call itself was wrong.
    Invalid,
}

/// A failed call of a store.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error without a cause below it.
    #[must_use]
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// An error for a record that cannot be read; `place` names it.
    #[must_use]
    pub fn corrupt(place: impl std::fmt::Display, problem: impl std::fmt::Display) -> Self {
        Self::new(StoreErrorKind::Corrupt, format!("{place} cannot be read: {problem}"))
    }
}
