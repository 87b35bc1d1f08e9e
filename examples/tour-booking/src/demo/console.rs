//! Lines for a person: who speaks stands on the left. Colours only where a terminal shows them.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::report::Tone;

/// The column of who speaks.
const WHO_WIDTH: usize = 9;

/// Where lines go. A reader that went away is an error, not a panic: the child processes must not outlive it.
#[derive(Debug)]
pub(super) struct Console {
    has_colours: bool,
}

impl Console {
    pub(super) fn stdout() -> Self {
        Self { has_colours: io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none() }
    }

    /// "who  text".
    pub(super) fn line(&self, who: &str, text: &str) -> io::Result<()> {
        self.toned(who, text, Tone::Plain)
    }

    pub(super) fn toned(&self, who: &str, text: &str, tone: Tone) -> io::Result<()> {
        self.write(&format!("{}  {}", self.faint(&format!("{who:>WHO_WIDTH$}")), self.paint(text, tone)))
    }

    /// A line as it is.
    pub(super) fn write(&self, line: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()
    }

    pub(super) fn paint(&self, text: &str, tone: Tone) -> String {
        match tone {
            Tone::Plain => text.to_owned(),
            Tone::Good => self.escape(text, "32"),
            Tone::Bad => self.escape(text, "31"),
            Tone::Undo => self.escape(text, "33"),
        }
    }

    pub(super) fn faint(&self, text: &str) -> String {
        self.escape(text, "2")
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.escape(text, "1")
    }

    fn escape(&self, text: &str, code: &str) -> String {
        if self.has_colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
