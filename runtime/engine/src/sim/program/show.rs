//! The text of a program.

use std::fmt;

use super::tree::{Block, Call, Node, Program};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        block(f, &self.body, 0)
    }
}

fn block(f: &mut fmt::Formatter<'_>, nodes: &Block, depth: usize) -> fmt::Result {
    if nodes.0.is_empty() {
        return writeln!(f, "{:1$}nothing", "", depth * 2);
    }
    nodes.0.iter().try_for_each(|each| node(f, each, depth))
}

fn node(f: &mut fmt::Formatter<'_>, node: &Node, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", depth * 2)?;
    let words: &[&str] = match node {
        Node::Call(call) => return call_line(f, call),
        Node::Sleep(millis) => return writeln!(f, "sleep {millis} ms"),
        Node::Step(step) => {
            let end = if step.fails { ", fails" } else { "" };
            return writeln!(f, "step #{}{end}", step.site);
        }
        Node::Branch { on, .. } => {
            writeln!(f, "if {on:?} is odd")?;
            &["", "else"]
        }
        Node::Repeat { times, .. } => {
            writeln!(f, "{times} times")?;
            &[""]
        }
        Node::Spawn { wait, .. } => {
            writeln!(f, "spawn, await {wait:?}")?;
            &[""]
        }
        Node::SideEffect => return writeln!(f, "side effect"),
        Node::Random => return writeln!(f, "random"),
        Node::Uuid => return writeln!(f, "uuid"),
        Node::Now => return writeln!(f, "now"),
        Node::Fail => return writeln!(f, "fail"),
        Node::Join(_) => &["join", "with"],
        Node::TryJoin(_) => &["try join", "with"],
        Node::Race(_) => &["race", "against"],
        Node::Scope { .. } => &["scope", "is cancelled after"],
        Node::Disconnected(_) => &["disconnected"],
        Node::UntilCancelled(_) => &["until cancelled"],
        Node::Saga(_) => &["saga"],
        Node::OnUndo(_) => &["on undo"],
        Node::Catch(_) => &["catch"],
    };
    for (index, below) in node.blocks().into_iter().enumerate() {
        // The first word stands behind the indentation already.
        match (index, words.get(index).or(words.last())) {
            (0, Some(word)) if !word.is_empty() => writeln!(f, "{word}")?,
            (0, _) | (_, None) => {}
            (_, Some(word)) => writeln!(f, "{:1$}{word}", "", depth * 2)?,
        }
        block(f, below, depth + 1)?;
    }
    Ok(())
}

fn call_line(f: &mut fmt::Formatter<'_>, call: &Call) -> fmt::Result {
    write!(f, "call {} #{}, {} attempts", call.name(), call.site, attempts(call.attempts))?;
    write!(f, " of {} s", call.start_to_close)?;
    if let Some(seconds) = call.schedule_to_close {
        write!(f, ", {seconds} s in all")?;
    }
    if let Some(undo) = call.undo {
        write!(f, ", undone by {} ({} attempts)", undo.name(), attempts(undo.attempts))?;
    }
    writeln!(f)
}

fn attempts(count: u32) -> String {
    if count == 0 { "endless".to_owned() } else { count.to_string() }
}
