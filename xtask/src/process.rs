//! Starts child processes and tells how they ended.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// A child that could not be started or did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChildError {
    /// It never ran.
    #[error("`{command}` could not be started")]
    Start {
        /// The command line.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It ended by itself with a code other than 0.
    #[error("`{command}` ended with exit code {code}")]
    Exit {
        /// The command line.
        command: String,
        /// Its exit code.
        code: i32,
    },
    /// Something ended it.
    #[error("`{command}` was killed by signal {signal}{}", name_of(*.signal))]
    Signal {
        /// The command line.
        command: String,
        /// The number of the signal.
        signal: i32,
    },
}

impl ChildError {
    /// The code to pass on: the child's own, or 128 + signal as a shell would have it.
    fn code(&self) -> u8 {
        let code = match self {
            Self::Start { .. } => 127,
            Self::Exit { code, .. } => *code,
            Self::Signal { signal, .. } => 128_i32.saturating_add(*signal),
        };
        u8::try_from(code).unwrap_or(1)
    }
}

/// The exit code for xtask itself: that of the child that failed, else 1.
pub(crate) fn exit_code_of(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(code_of(error))
}

fn code_of(error: &anyhow::Error) -> u8 {
    error.chain().find_map(|cause| cause.downcast_ref::<ChildError>()).map_or(1, ChildError::code)
}

/// The cargo that runs xtask, or the one on the PATH.
pub(crate) fn cargo<I, S>(args: I) -> Command
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(args);
    command
}

/// Runs a command to its end, with this process's standard output and error and without standard input.
pub(crate) fn run(command: &mut Command) -> Result<(), ChildError> {
    crate::console::notice(&format!("$ {}", line_of(command)));
    match command.stdin(Stdio::null()).status() {
        Ok(status) => judge(command, status),
        Err(source) => Err(ChildError::Start { command: line_of(command), source }),
    }
}

/// Runs a command to its end and gives what it printed on standard output.
pub(crate) fn output_of(command: &mut Command) -> Result<String, ChildError> {
    match command.stdin(Stdio::null()).stderr(Stdio::null()).output() {
        Ok(output) => {
            judge(command, output.status).map(|()| String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(source) => Err(ChildError::Start { command: line_of(command), source }),
    }
}

fn judge(command: &Command, status: ExitStatus) -> Result<(), ChildError> {
    if status.success() {
        return Ok(());
    }
    let command = line_of(command);
    match (status.code(), status.signal()) {
        (Some(code), _) => Err(ChildError::Exit { command, code }),
        (None, signal) => Err(ChildError::Signal { command, signal: signal.unwrap_or(0) }),
    }
}

/// The command line as a person would type it.
fn line_of(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| value.map(|value| (name, value)));
    let set = set.map(|(name, value)| format!("{}={}", name.display(), quoted(value)));
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(quoted);
    set.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains(char::is_whitespace) {
        format!("\"{word}\"")
    } else {
        word.into_owned()
    }
}

fn name_of(signal: i32) -> &'static str {
    match signal {
        2 => " (SIGINT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL: perhaps out of memory)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
