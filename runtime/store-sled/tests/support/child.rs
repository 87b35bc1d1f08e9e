//! Second processes: the test binary runs one of its own tests again, which then finds that it is the child.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a child finds its store.
pub(crate) const DIR: &str = "STEADFAST_TEST_DIR";

/// The directory that the parent named; `None` if the test was not started by one.
pub(crate) fn child_dir() -> Option<PathBuf> {
    env::var_os(DIR).map(PathBuf::from)
}

/// A command that runs the test `name` of this binary on a directory, as a child.
pub(crate) fn child(name: &str, dir: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(child_args(name)).env(DIR, dir);
    command
}

fn child_args(name: &str) -> [&str; 3] {
    ["--exact", name, "--nocapture"]
}

/// The same, after a shell script that runs first, with the directory as `$DIR`.
pub(crate) fn child_after(script: &str, name: &str, dir: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{script}\nexec \"$@\""), "sh"]).arg(env::current_exe().unwrap());
    command.args(child_args(name)).env(DIR, dir).env("DIR", dir);
    command
}

/// The same with mounts of its own. `None` where that is not permitted.
pub(crate) fn child_with_mounts(script: &str, name: &str, dir: &Path) -> Option<Command> {
    let probe = "mkdir -p \"$DIR\" && mount -t tmpfs none \"$DIR\"";
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"])
            .env("DIR", dir)
            .env(DIR, dir);
        command
    };
    let permitted = unshare(probe).output().is_ok_and(|output| output.status.success());
    if !permitted {
        assert!(env::var_os("CI").is_none(), "`{name}` needs the right to mount, which CI has to give");
        eprintln!("SKIPPED: `{name}` needs the right to mount");
        return None;
    }
    let mut command = unshare(&format!("set -e\n{script}\nexec \"$@\""));
    command.arg(env::current_exe().unwrap()).args(child_args(name));
    Some(command)
}

/// Runs a child to its end; its output must not say that it failed.
pub(crate) fn output_of(mut command: Command) -> String {
    let output = command.output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the child failed: {text}");
    text
}

/// The rest of the line that begins with `word`.
pub(crate) fn said<'t>(text: &'t str, word: &str) -> &'t str {
    text.lines()
        .find_map(|line| line.split_once(word).map(|(_, rest)| rest.trim()))
        .unwrap_or_else(|| panic!("the child did not say `{word}`: {text}"))
}

/// Names and contents of everything in a directory, to see whether it was left as it was.
pub(crate) fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all.insert(path.clone(), Vec::new());
                open.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                all.insert(path, bytes);
            }
        }
    }
    all
}
