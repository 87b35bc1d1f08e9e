//! The core is pure: no clock, no randomness, no hash order, no threads, no input or output, no async runtime.

use super::imports::imports;
use super::manifest::{Manifest, members};
use super::offence::{Offence, assert_none};
use super::source::{Source, rust};
use super::tokens::{Token, find_all, tokens};

const CORE: &str = "runtime/core/src/";

/// What code of the core must not use.
struct Banned {
    /// Refused when it is imported, and what is in it too.
    path: &'static str,
    /// Refused wherever it stands: what an import of something further out leaves of the path.
    tokens: &'static [&'static str],
    instead: &'static str,
}

const CLOCK: &str = "time is a value that the caller passes in";
const HASH: &str = "use BTreeMap, BTreeSet or an index map: hash order must not reach a command";
const OUTSIDE: &str = "the core reads and writes nothing: take it as an input or return it as data";
const RANDOM: &str = "use the run's own generator, seeded from its history";
const THREAD: &str = "the core runs on its caller's thread";
const RUNTIME: &str = "the core is synchronous: the engine steps it and does the waiting";

#[rustfmt::skip]
const BANNED: &[Banned] = &[
    Banned { path: "std::time::SystemTime", tokens: &["SystemTime"], instead: CLOCK },
    Banned { path: "std::time::Instant", tokens: &["Instant"], instead: CLOCK },
    Banned { path: "std::collections::HashMap", tokens: &["HashMap"], instead: HASH },
    Banned { path: "std::collections::HashSet", tokens: &["HashSet"], instead: HASH },
    Banned { path: "std::hash::RandomState", tokens: &["RandomState"], instead: HASH },
    Banned { path: "std::thread::spawn", tokens: &["thread", "::", "spawn"], instead: THREAD },
    Banned { path: "std::thread::scope", tokens: &["thread", "::", "scope"], instead: THREAD },
    Banned { path: "std::thread::Builder", tokens: &["thread", "::", "Builder"], instead: THREAD },
    Banned { path: "std::thread::sleep", tokens: &["thread", "::", "sleep"], instead: CLOCK },
    Banned { path: "std::fs", tokens: &["std", "::", "fs"], instead: OUTSIDE },
    Banned { path: "std::net", tokens: &["std", "::", "net"], instead: OUTSIDE },
    Banned { path: "std::env", tokens: &["std", "::", "env"], instead: OUTSIDE },
    Banned { path: "rand", tokens: &["rand", "::"], instead: RANDOM },
    Banned { path: "getrandom", tokens: &["getrandom", "::"], instead: RANDOM },
    Banned { path: "tokio", tokens: &["tokio", "::"], instead: RUNTIME },
];

/// The one file that may ask on which thread it is: it tells wakes from inside an activation from others.
const THREAD_IDENTITY_FILE: &str = "waker.rs";

/// Packages that would bring in what is banned.
const BANNED_PACKAGES: &[&str] =
    &["async-std", "chrono", "getrandom", "jiff", "mio", "rand", "smol", "tokio"];

/// What one file of the core does that it must not.
fn impure(file: &Source) -> Vec<Offence> {
    let tokens = tokens(&file.text);
    let mut found = BANNED.iter().flat_map(|banned| uses_of(file, &tokens, banned)).collect::<Vec<_>>();
    found.extend(thread_identity(file, &tokens));
    found.sort_by_key(|offence| offence.line);
    found.dedup();
    found
}

fn uses_of(file: &Source, tokens: &[Token], banned: &Banned) -> Vec<Offence> {
    let mut lines = lines_of(tokens, banned.tokens);
    lines.extend(import_lines(tokens, banned.path));
    lines.sort_unstable();
    lines.dedup();
    let what = format!("the core must not use {}", banned.path);
    lines.into_iter().map(|line| Offence::at(&file.path, line, what.as_str(), banned.instead)).collect()
}

fn thread_identity(file: &Source, tokens: &[Token]) -> Vec<Offence> {
    if file.file_name() == THREAD_IDENTITY_FILE {
        return Vec::new();
    }
    let mut lines = lines_of(tokens, &["thread", "::", "current"]);
    lines.extend(lines_of(tokens, &["ThreadId"]));
    lines.extend(import_lines(tokens, "std::thread::current"));
    let what = format!("the core asks for the identity of a thread only in {THREAD_IDENTITY_FILE}");
    let offence =
        |line| Offence::at(&file.path, line, what.as_str(), "nothing that code can observe may depend on it");
    lines.into_iter().map(offence).collect()
}

/// The lines on which a pattern ends: in a path broken over lines that is where its last name stands.
fn lines_of(tokens: &[Token], pattern: &[&str]) -> Vec<usize> {
    find_all(tokens, pattern).into_iter().map(|at| tokens[at + pattern.len() - 1].line).collect()
}

fn import_lines(tokens: &[Token], path: &str) -> Vec<usize> {
    imports(tokens).iter().filter(|import| import.is_within(path)).map(|import| import.line).collect()
}

/// Dependencies of the core that would make it impure.
fn impure_dependencies(manifest: &Manifest) -> Vec<Offence> {
    let banned = manifest.dependencies().into_iter().filter(|name| BANNED_PACKAGES.contains(&name.as_str()));
    let offence = |name: String| {
        let what = format!("the core must not depend on {name}");
        Offence::of_file(&manifest.path, what, "clocks, randomness and waiting belong to the engine")
    };
    banned.map(offence).collect()
}

#[test]
fn the_core_is_pure() {
    let files = rust();
    let core = files.iter().filter(|file| file.path.starts_with(CORE) && !file.is_test()).collect::<Vec<_>>();
    assert!(!core.is_empty(), "no file was found in {CORE}");
    let offences = core.into_iter().flat_map(impure).collect::<Vec<_>>();
    assert_none(&offences);
}

#[test]
fn the_core_depends_on_nothing_impure() {
    let members = members();
    let core = members.iter().filter(|member| member.name() == "steadfast-core").collect::<Vec<_>>();
    assert_eq!(core.len(), 1, "there is one core");
    assert_none(&core.into_iter().flat_map(impure_dependencies).collect::<Vec<_>>());
}

fn lines(file_name: &str, text: &str) -> Vec<usize> {
    let found = impure(&Source::new(&format!("{CORE}{file_name}"), text));
    found.into_iter().filter_map(|offence| offence.line).collect()
}

#[test]
fn everything_banned_is_refused_in_full_and_by_import() {
    for banned in BANNED {
        let grouped = match banned.path.rsplit_once("::") {
            Some((outer, name)) => format!("\nuse {outer}::{{a::b, {name}::y}};"),
            None => format!("\nuse {{a::b, {}::y}};", banned.path),
        };
        let whole = format!("\nuse {}::y;", banned.path);
        let in_place = format!("\nfn f() {{ {}::y(); }}", banned.path);
        for sample in [grouped, whole, in_place] {
            assert_eq!(lines("exec.rs", &sample), [2], "{sample}");
        }
    }
}

#[test]
fn what_an_import_leaves_of_a_path_is_refused() {
    assert_eq!(lines("exec.rs", "use std::thread;\nfn f() { thread::spawn(g); }"), [2]);
    assert_eq!(lines("exec.rs", "fn f(at: x::Instant) {}\nlet m = HashMap::new();"), [1, 2]);
}

#[test]
fn comments_messages_and_like_names_are_not_code() {
    let text = "/// Never `HashMap`.\nuse rand_core::Rng; use rand_pcg::Pcg64; // tokio::spawn\n\
                const HELP: &str = \"instead of tokio::time::sleep\"; fn thread_spawn(environment: E) {}";
    assert!(lines("exec.rs", text).is_empty());
}

#[test]
fn thread_identity_belongs_to_the_waker() {
    let text = "fn f() { let id = std::thread::current().id(); }";
    assert_eq!(lines("exec/poll.rs", text), [1]);
    assert_eq!(lines("exec/poll.rs", "use std::thread::{self, ThreadId};"), [1]);
    assert!(lines("exec/waker.rs", text).is_empty());
}

#[test]
fn an_impure_dependency_is_refused() {
    let text = "[dependencies]\ntokio = \"1\"\nserde = \"1\"\n[dev-dependencies]\nrand = \"1\"\n";
    let manifest = Manifest::parse(&Source::new("runtime/core/Cargo.toml", text));
    let found = impure_dependencies(&manifest).into_iter().map(|offence| offence.what).collect::<Vec<_>>();
    assert_eq!(found, ["the core must not depend on tokio"]);
}
