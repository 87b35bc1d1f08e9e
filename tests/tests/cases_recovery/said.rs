//! What the engines of this process say in their log.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What was said since [`Said::listen`], by all engines of the process.
pub(crate) struct Said {
    all: Log,
    from: usize,
}

/// Held for one line or one look.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

static LOG: OnceLock<Log> = OnceLock::new();

impl Said {
    pub(crate) fn listen() -> Self {
        let log = LOG.get_or_init(|| {
            let log = Log::default();
            let writer = log.clone();
            tracing_subscriber::fmt()
                .with_writer(move || writer.clone())
                .with_ansi(false)
                .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
                .init();
            log
        });
        let from = log.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        Self { all: log.clone(), from }
    }

    pub(crate) fn all(&self) -> String {
        let bytes = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes[self.from..]).into_owned()
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.all().contains(text)
    }
}
