//! What is banned, by class, and what to use instead.

/// Why a call is banned. `#[workflow(allow(..))]` names classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Clock,
    Random,
    Thread,
    Spawn,
    Tokio,
    Env,
    Process,
    Fs,
    Net,
    Hash,
}

const CLASSES: &[(Class, &str)] = &[
    (Class::Clock, "clock"),
    (Class::Random, "random"),
    (Class::Thread, "thread"),
    (Class::Spawn, "spawn"),
    (Class::Tokio, "tokio"),
    (Class::Env, "env"),
    (Class::Process, "process"),
    (Class::Fs, "fs"),
    (Class::Net, "net"),
    (Class::Hash, "hash"),
];

impl Class {
    /// The class that people call `name`.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        CLASSES.iter().find(|(_, known)| *known == name).map(|(class, _)| *class)
    }

    /// The names of all classes.
    pub(crate) fn names() -> Vec<&'static str> {
        CLASSES.iter().map(|(_, name)| *name).collect()
    }

    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        CLASSES.iter().find(|(class, _)| *class == self).map_or("", |(_, name)| name)
    }
}

const CLOCK: &str = "use `ctx.now()`, which replays to the same instant";
const RANDOM: &str = "use `ctx.random()`, which replays to the same number";
const UUID: &str = "use `ctx.uuid()`, which replays to the same id";
const THREAD: &str = "do it in an activity or in `ctx.step(..)`";
const SPAWN: &str = "use `ctx.spawn(..)`, whose tasks are polled by the run";
const SLEEP: &str = "use `ctx.sleep(..)`, which outlives the process";
const SELECT: &str = "use `steadfast::select!`, which polls in the order written";
const JOIN: &str = "use `steadfast::join!`, which polls in the order written";
const TRY_JOIN: &str = "use `steadfast::try_join!`, which polls in the order written";
const ENV: &str = "read it in `ctx.side_effect(..)`, or pass it as input";
const OUTSIDE: &str = "do it in an activity or in `ctx.step(..)`";
const HASHER: &str = "use a `BTreeMap` or a `BTreeSet`";
/// What to say of an iteration over a hash map.
pub(super) const ITERATION: &str = "its order differs from run to run: use a `BTreeMap` or a `BTreeSet`";

/// A banned path: its last segments. A `*` stands for any last segment that is called.
pub(super) struct Ban {
    pub(super) class: Class,
    pub(super) path: &'static [&'static str],
    pub(super) help: &'static str,
}

const fn ban(class: Class, path: &'static [&'static str], help: &'static str) -> Ban {
    Ban { class, path, help }
}

/// All banned paths.
pub(super) const BANS: &[Ban] = &[
    ban(Class::Clock, &["SystemTime", "now"], CLOCK),
    ban(Class::Clock, &["Instant", "now"], CLOCK),
    ban(Class::Clock, &["Utc", "now"], CLOCK),
    ban(Class::Clock, &["Local", "now"], CLOCK),
    ban(Class::Clock, &["Zoned", "now"], CLOCK),
    ban(Class::Clock, &["Timestamp", "now"], CLOCK),
    ban(Class::Clock, &["OffsetDateTime", "now_utc"], CLOCK),
    ban(Class::Clock, &["OffsetDateTime", "now_local"], CLOCK),
    ban(Class::Random, &["rand", "*"], RANDOM),
    ban(Class::Random, &["fastrand", "*"], RANDOM),
    ban(Class::Random, &["getrandom", "*"], RANDOM),
    ban(Class::Random, &["thread_rng"], RANDOM),
    ban(Class::Random, &["OsRng"], RANDOM),
    ban(Class::Random, &["from_os_rng"], RANDOM),
    ban(Class::Random, &["from_entropy"], RANDOM),
    ban(Class::Random, &["Uuid", "new_v4"], UUID),
    ban(Class::Random, &["Uuid", "now_v7"], UUID),
    ban(Class::Random, &["Uuid", "now_v1"], UUID),
    ban(Class::Random, &["RandomState", "new"], HASHER),
    ban(Class::Thread, &["thread", "sleep"], SLEEP),
    ban(Class::Thread, &["thread", "spawn"], THREAD),
    ban(Class::Thread, &["thread", "scope"], THREAD),
    ban(Class::Thread, &["thread", "current"], THREAD),
    ban(Class::Thread, &["thread", "park"], THREAD),
    ban(Class::Thread, &["thread", "yield_now"], THREAD),
    ban(Class::Thread, &["rayon", "*"], THREAD),
    ban(Class::Spawn, &["tokio", "spawn"], SPAWN),
    ban(Class::Spawn, &["task", "spawn"], SPAWN),
    ban(Class::Spawn, &["task", "spawn_local"], SPAWN),
    ban(Class::Spawn, &["task", "spawn_blocking"], OUTSIDE),
    ban(Class::Spawn, &["JoinSet", "new"], SPAWN),
    ban(Class::Tokio, &["time", "sleep"], SLEEP),
    ban(Class::Tokio, &["time", "sleep_until"], SLEEP),
    ban(Class::Tokio, &["time", "timeout"], "race it with `ctx.sleep(..)` in `steadfast::select!`"),
    ban(Class::Tokio, &["time", "timeout_at"], "race it with `ctx.sleep_until(..)` in `steadfast::select!`"),
    ban(Class::Tokio, &["time", "interval"], "use `ctx.sleep(..)` in a loop"),
    ban(Class::Tokio, &["tokio", "select"], SELECT),
    ban(Class::Tokio, &["tokio", "join"], JOIN),
    ban(Class::Tokio, &["tokio", "try_join"], TRY_JOIN),
    ban(Class::Tokio, &["futures", "select"], SELECT),
    ban(Class::Tokio, &["futures", "select_biased"], SELECT),
    ban(Class::Tokio, &["Handle", "current"], OUTSIDE),
    ban(Class::Env, &["env", "var"], ENV),
    ban(Class::Env, &["env", "var_os"], ENV),
    ban(Class::Env, &["env", "vars"], ENV),
    ban(Class::Env, &["env", "args"], ENV),
    ban(Class::Env, &["env", "current_dir"], ENV),
    ban(Class::Env, &["env", "temp_dir"], ENV),
    ban(Class::Process, &["process", "id"], ENV),
    ban(Class::Process, &["process", "exit"], "return an error: `WorkflowError::fail(..)`"),
    ban(Class::Process, &["process", "abort"], "return an error: `WorkflowError::fail(..)`"),
    ban(Class::Process, &["process", "Command", "new"], OUTSIDE),
    ban(Class::Fs, &["std", "fs", "*"], OUTSIDE),
    ban(Class::Fs, &["tokio", "fs", "*"], OUTSIDE),
    ban(Class::Fs, &["fs", "read"], OUTSIDE),
    ban(Class::Fs, &["fs", "read_to_string"], OUTSIDE),
    ban(Class::Fs, &["fs", "read_dir"], OUTSIDE),
    ban(Class::Fs, &["fs", "write"], OUTSIDE),
    ban(Class::Fs, &["fs", "create_dir"], OUTSIDE),
    ban(Class::Fs, &["fs", "create_dir_all"], OUTSIDE),
    ban(Class::Fs, &["fs", "remove_file"], OUTSIDE),
    ban(Class::Fs, &["fs", "remove_dir_all"], OUTSIDE),
    ban(Class::Fs, &["fs", "copy"], OUTSIDE),
    ban(Class::Fs, &["fs", "rename"], OUTSIDE),
    ban(Class::Fs, &["fs", "metadata"], OUTSIDE),
    ban(Class::Fs, &["File", "open"], OUTSIDE),
    ban(Class::Fs, &["File", "create"], OUTSIDE),
    ban(Class::Fs, &["File", "create_new"], OUTSIDE),
    ban(Class::Fs, &["OpenOptions", "new"], OUTSIDE),
    ban(Class::Net, &["TcpStream", "connect"], OUTSIDE),
    ban(Class::Net, &["TcpListener", "bind"], OUTSIDE),
    ban(Class::Net, &["UdpSocket", "bind"], OUTSIDE),
    ban(Class::Net, &["UnixStream", "connect"], OUTSIDE),
    ban(Class::Net, &["reqwest", "*"], OUTSIDE),
    ban(Class::Net, &["reqwest", "Client", "new"], OUTSIDE),
    ban(Class::Net, &["ureq", "*"], OUTSIDE),
];
