//! What is printed in the end, and the exit code.

use std::fmt;
use std::process::ExitCode;

use super::callers::Acknowledged;
use super::check::Verdict;
use super::finding::Kind;
use super::outside::Counts;
use super::phase::Phase;
use super::round::Killed;

/// Fewer rounds than this prove nothing about the share of each phase.
const COVERAGE_ROUNDS_MIN: u32 = 40;
/// The least share of the kills that must fall into each phase.
const SHARE_PERCENT_MIN: usize = 5;
/// The least number of workflows in flight at a kill.
const IN_FLIGHT_MIN: usize = 50;
/// Findings that are printed; the rest are counted.
const FINDINGS_SHOWN: usize = 40;
/// Not everything that must be seen was seen.
const EXIT_NOT_COVERED: u8 = 2;

/// The whole run.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) rounds: u32,
    pub(crate) seed: u64,
    /// Workers that are killed early reach some phases hardly ever.
    pub(crate) has_short_lives: bool,
    pub(crate) kills: Vec<Killed>,
    pub(crate) acknowledged: Acknowledged,
    pub(crate) outside: Counts,
    pub(crate) verdict: Verdict,
}

impl Report {
    pub(crate) fn is_good(&self) -> bool {
        self.verdict.findings.is_empty() && self.gaps().is_empty()
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        if !self.verdict.findings.is_empty() {
            ExitCode::FAILURE
        } else if self.gaps().is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(EXIT_NOT_COVERED)
        }
    }

    fn in_phase(&self, phase: Phase) -> usize {
        self.kills.iter().filter(|kill| kill.phases.contains(&phase)).count()
    }

    fn count(&self, kind: Kind) -> usize {
        self.verdict.findings.iter().filter(|finding| finding.kind == kind).count()
    }

    /// What was not covered. A run that found something ended early and says nothing about that.
    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        if !self.verdict.findings.is_empty() {
            return gaps;
        }
        let counts_phases = self.rounds >= COVERAGE_ROUNDS_MIN && !self.has_short_lives;
        if counts_phases {
            let is_short =
                |phase: &&Phase| self.in_phase(**phase) * 100 < SHARE_PERCENT_MIN * self.kills.len();
            let short = Phase::ALL.iter().filter(is_short);
            gaps.extend(short.map(|phase| format!("too few kills {}", phase.name())));
        }
        if counts_phases && self.outside.resumed == 0 {
            gaps.push("no attempt was given heartbeat details of an earlier one".to_owned());
        }
        if let Some(least) = self.kills.iter().min_by_key(|kill| kill.in_flight)
            && least.in_flight < IN_FLIGHT_MIN
        {
            gaps.push(format!("round {}: only {} workflows were in flight", least.round, least.in_flight));
        }
        gaps
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kills = self.kills.len();
        let at_points = self.kills.iter().filter(|kill| kill.at_point.is_some()).count();
        let in_flight = self.kills.iter().map(|kill| kill.in_flight).min().unwrap_or(0);
        writeln!(f, "rounds {}, seed {}", self.rounds, self.seed)?;
        writeln!(
            f,
            "kills {kills}: {} at random moments, {at_points} at fail points; at least {in_flight} workflows in flight; \
             a kill can fall into several phases",
            kills - at_points
        )?;
        for phase in Phase::ALL {
            let count = self.in_phase(phase);
            let permille = (count * 1_000).checked_div(kills).unwrap_or(0);
            writeln!(f, "  {:<36}{count:>5}{:>5}.{} %", phase.name(), permille / 10, permille % 10)?;
        }
        writeln!(f, "{}", self.verdict.summary)?;
        let Acknowledged { starts, results, cancels, activities, readings } = self.acknowledged;
        writeln!(
            f,
            "acknowledged: {starts} starts, {results} results, {cancels} cancels, {activities} activities shown complete, \
             {readings} histories shown"
        )?;
        let Counts { calls, retries, undos, resumed, effects } = self.outside;
        writeln!(
            f,
            "outside: {calls} calls, of them {retries} retries, {undos} undos, {resumed} resumed from heartbeat details; \
             {effects} effects"
        )?;
        for finding in self.verdict.findings.iter().take(FINDINGS_SHOWN) {
            writeln!(f, "{finding}")?;
        }
        for gap in self.gaps() {
            writeln!(f, "not enough coverage: {gap}")?;
        }
        write!(f, "lost {}, repeated {}", self.count(Kind::Lost), self.count(Kind::Repeated))?;
        match self.count(Kind::Wrong) {
            0 => Ok(()),
            wrong => write!(f, ", otherwise wrong {wrong}"),
        }
    }
}

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {}: killed ", self.round)?;
        match self.at_point {
            Some((point, hit)) => write!(f, "at visit {hit} of {point}")?,
            None => f.write_str("at a random moment")?,
        }
        if let Some(point) = self.not_reached {
            write!(f, " ({point} was not reached)")?;
        }
        for phase in &self.phases {
            write!(f, ", {}", phase.name())?;
        }
        write!(f, "; {} in flight", self.in_flight)
    }
}
