//! The last worker's account: every run of the store with its history, as a client reads them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use steadfast::Client;

use super::client;
use crate::crash::check::write_run;

/// Writes all runs to a file.
pub(super) async fn write_runs(client: &Client, path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path).context("cannot make the file of runs")?);
    let mut after = None;
    loop {
        let (runs, next) = client::page(client, after).await?;
        for run in runs {
            write_run(&mut file, run)?;
        }
        after = next;
        if after.is_none() {
            return file.flush().context("cannot write the file of runs");
        }
    }
}
