//! Ends a child process when the process that started it is gone, however that ended.

use std::io;
use std::thread;

/// Ends this process when its stdin is closed, which the system does when the process at the other end dies.
///
/// # Errors
///
/// Fails when no thread can be started.
pub fn hold() -> io::Result<()> {
    thread::Builder::new().name("lifeline".to_owned()).spawn(|| {
        // An error means the same as the end: nobody is there.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        std::process::exit(1);
    })?;
    Ok(())
}
