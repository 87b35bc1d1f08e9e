//! The look that is taken after every action.

use super::super::digest::{of_key, of_transition, short};
use super::super::watched::Witnessed;
use super::whole::World;

impl World {
    /// Everything that happened goes into the books, in its order, and they must agree with it.
    pub(super) fn look(&mut self, index: usize) -> Result<(), String> {
        for seen in self.store.take_seen() {
            self.witness(&seen);
            self.books.take(seen, &self.store.inner)?;
        }
        if let Some(fault) = self.nodes[index].as_mut().and_then(|node| node.fault.take()) {
            return Err(fault);
        }
        self.look_at_begun(index)?;
        self.hear_beats()?;
        self.hear_clients()?;
        self.look_at_slots(index)
    }

    fn witness(&mut self, seen: &Witnessed) {
        match seen {
            Witnessed::Ended(session) => {
                self.trace.note(&[60, session.0]);
                self.trace.tell(|| format!("    store: session {session} ends"));
            }
            Witnessed::Claimed(row) => {
                self.trace.note(&[61, u64::from(row.shard.0), row.epoch.0]);
                self.trace.tell(|| {
                    format!("    store: shard {} is {:?}'s, epoch {}", row.shard, row.owner, row.epoch)
                });
            }
            Witnessed::Stored(transition) => {
                self.trace.note(&[62, of_transition(transition)]);
                self.trace.tell(|| format!("    store: commits {}", summary(transition)));
            }
            Witnessed::Repeated(runs) => {
                self.trace.note(&[65, runs.len() as u64]);
                self.trace.tell(|| "    store: is given the same group again".to_owned());
            }
            Witnessed::Refused(transition, refusal) => {
                self.trace.note(&[63, of_transition(transition)]);
                self.trace.tell(|| format!("    store: refuses {} ({refusal})", summary(transition)));
            }
        }
    }

    fn look_at_begun(&mut self, index: usize) -> Result<(), String> {
        let Some(node) = &mut self.nodes[index] else { return Ok(()) };
        let (begun, session) = (std::mem::take(&mut node.begun), node.session());
        for (key, info) in begun {
            self.trace.note(&[64]);
            self.trace.note(&of_key(key));
            self.tell(index, || format!("begins {} `{}`", super::super::digest::name(key), info.activity));
            self.books.begin(key, &info, session)?;
        }
        Ok(())
    }

    /// Slots in use are those that attempts and offers hold; at rest these are the grants in the store.
    fn look_at_slots(&mut self, index: usize) -> Result<(), String> {
        // What a dead engine gave back reached nobody.
        let Some(node) = self.nodes[index].as_ref().filter(|node| !node.fuse.is_dead()) else {
            return Ok(());
        };
        let (in_use, held) = (node.slots_in_use(), node.slots_held());
        if in_use != held {
            return Err(format!("{in_use} slots are in use, and {held} are held: {}", node.state()));
        }
        // An engine whose session was ended does not know yet that its grants are over.
        let session = node.session().filter(|session| !self.books.has_ended(*session));
        let Some(session) = session.filter(|_| node.is_live() && node.is_quiet()) else { return Ok(()) };
        self.report.counts.slot_checks += 1;
        match self.books.grants_of(session) {
            granted if granted == in_use => Ok(()),
            granted => Err(format!(
                "{in_use} slots are in use, and session {session} has {granted} grants: {}",
                node.state()
            )),
        }
    }
}

/// A transition in one line.
fn summary(transition: &steadfast_store::Transition) -> String {
    use steadfast_store::Write;
    let steadfast_store::Transition { shard, epoch, expected, writes } = transition;
    let mut text = format!("shard {shard} epoch {epoch}");
    if let Some(expected) = expected {
        text.push_str(&format!(" run {} at {}", short(expected.run), expected.last_event));
    }
    for write in writes {
        if let Write::AppendHistory { record, .. } = write {
            let events = steadfast_core::decode_events(&record.body).unwrap_or_default();
            for event in events {
                text.push_str(&format!(" {}:{}", event.id, event.kind.name()));
            }
        } else if let Write::PutDue { at, .. } = write {
            text.push_str(&format!(" due {at}"));
        } else if let Write::PutMail { row, .. } = write {
            text.push_str(&format!(" mail {}", row.sequence));
        } else if let Write::PutRequest { request, .. } = write {
            text.push_str(&format!(" request {request}"));
        } else if let Write::PutDeadLetter(row) = write {
            text.push_str(&format!(" dead letter {}", row.scheduled));
        }
    }
    text
}
