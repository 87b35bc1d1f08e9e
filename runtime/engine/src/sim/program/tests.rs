use std::collections::BTreeSet;

use steadfast_core::{Payload, QueueName, WorkflowId, WorkflowType};
use steadfast_store::faults::FaultRates;

use super::{Block, Call, Choice, Node, Program, UndoCall};
use crate::client::StartRequest;
use crate::sim::Simulation;

fn names(program: &Program, into: &mut BTreeSet<String>) {
    program.body.visit(&mut |node| {
        into.insert(format!("{node:?}").split([' ', '(']).next().unwrap_or_default().to_owned());
    });
}

#[test]
fn a_few_hundred_seeds_draw_every_kind_of_node_and_no_program_is_too_large() {
    let mut seen = BTreeSet::new();
    for seed in 0..300 {
        let program = Program::draw(seed, 25);
        assert!((1..=25).contains(&program.size()), "seed {seed}: {}", program.size());
        assert_eq!(program, Program::draw(seed, 25));
        names(&program, &mut seen);
    }
    assert_eq!(seen.len(), 20, "{seen:?}");
}

#[test]
fn a_program_reads_as_text() {
    let undo = Some(UndoCall { activity: 4, attempts: 0 });
    let call =
        Call { activity: 1, site: 2, attempts: 3, start_to_close: 5, schedule_to_close: Some(9), undo };
    let plain = Call { attempts: 0, schedule_to_close: None, undo: None, ..call.clone() };
    let race = Node::Race(vec![Block(vec![Node::Call(call)]), Block(vec![Node::Sleep(10), Node::Fail])]);
    let then = Block(vec![Node::Call(plain)]);
    let branch = Node::Branch { on: Choice::Now, then, otherwise: Block::default() };
    let program = Program { body: Block(vec![Node::Saga(Block(vec![race, branch])), Node::Uuid]) };
    let expected = "\
saga
  race
    call act-1 #2, 3 attempts of 5 s, 9 s in all, undone by undo-4 (endless attempts)
  against
    sleep 10 ms
    fail
  if Now is odd
    call act-1 #2, endless attempts of 5 s
  else
    nothing
uuid
";
    assert_eq!(program.to_string(), expected);
    let names: Vec<_> = program.activities().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["act-1", "undo-4"]);
}

#[test]
fn a_change_is_one_change_and_says_what_it_is() {
    let program = Program::draw(3, 20);
    let mut unequal = 0;
    for seed in 0..50 {
        let (changed, what) = program.changed(seed);
        assert!(what != "nothing");
        unequal += u32::from(changed != program);
    }
    assert!(unequal > 45, "{unequal}");
}

#[test]
fn shrinking_ends_at_what_matters() {
    let is_wrong = |program: &Program| {
        let mut races = 0;
        program.body.visit(&mut |node| races += usize::from(matches!(node, Node::Race(_))));
        races > 0
    };
    let seed = (0..).find(|seed| is_wrong(&Program::draw(*seed, 25))).unwrap_or(0);
    let smallest = Program::draw(seed, 25).shrink(&mut |program| is_wrong(program));
    assert_eq!(smallest.size(), 1, "{smallest}");
}

/// Programs as workflows of two engines that die and come back: each run ends, and its history replays.
#[test]
fn programs_end_in_a_simulation() {
    let mut events = 0;
    for seed in 0..20 {
        let program = Program::draw(seed, 20);
        let name = WorkflowType::new("program").unwrap();
        let start = |number: u64| {
            let id = WorkflowId::new(format!("w-{number}")).unwrap();
            let input = Payload::json(&number).unwrap();
            StartRequest::new(id, name.clone(), QueueName::new("q").unwrap(), input)
        };
        let simulation = Simulation {
            seed,
            definitions: vec![program.definition(&name)],
            activities: program.bodies(seed),
            starts: (0..3).map(start).collect(),
            chaos_actions: 500,
            calm_actions: 60_000,
            faults: FaultRates { fail_before: 2, fail_after: 2, ..FaultRates::default() },
            cancel_percent: 25,
            terminate_percent: 5,
            sabotage: None,
        };
        let report = simulation.run().unwrap_or_else(|failure| panic!("{failure}\n{program}"));
        events += report.events.values().sum::<u64>();
    }
    assert!(events > 500, "{events} events");
}
