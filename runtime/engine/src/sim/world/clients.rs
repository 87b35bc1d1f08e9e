//! Clients: they ask, and what they hear is compared with the books.

use super::whole::{SHARDS, World};

impl World {
    pub(super) fn client_acts(&mut self, index: usize) {
        if self.wishes.is_empty() {
            return;
        }
        let which = self.dice.index(self.wishes.len());
        let (Some(wish), Some(node)) = (self.wishes.get_mut(which), self.nodes[index].as_mut()) else {
            return;
        };
        let shard = wish.request.workflow_id.shard(SHARDS);
        // Now and then a client asks an engine that has nothing to say.
        if wish.is_over() || !(node.owns(shard) || self.dice.percent(5)) {
            return;
        }
        let asked = wish.ask(node, &mut self.dice, self.is_calm);
        if let Some(asked) = asked {
            self.report.counts.repeated_calls += u64::from(asked.is_repeated);
            self.trace.note(&[80, which as u64, asked.what]);
            self.tell(index, || format!("is asked for {}", asked.text));
        }
    }

    pub(super) fn hear_clients(&mut self) -> Result<(), String> {
        for (which, wish) in self.wishes.iter_mut().enumerate() {
            for heard in wish.listen(&self.books)? {
                self.report.counts.cancels += u64::from(heard.what == super::super::wish::CANCELLED);
                self.report.counts.terminations += u64::from(heard.what == super::super::wish::TERMINATED);
                self.trace.note(&[81, which as u64, heard.what]);
                self.trace.tell(|| format!("    client {which} hears {}", heard.text));
            }
        }
        Ok(())
    }
}
