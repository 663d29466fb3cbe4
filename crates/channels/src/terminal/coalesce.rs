//! Makes few pieces out of many.

use chat::Progress;
use tokio::time::{Duration, Instant};

use super::turns::Event;

/// The shortest time between two pieces of running text.
const PAUSE: Duration = Duration::from_millis(50);

/// Holds pieces of running text that follow each other too fast and joins them. All else passes at once, what is held before it.
#[derive(Debug, Default)]
pub(super) struct Coalescer {
    held: Vec<Event>,
    is_free_at: Option<Instant>,
}

impl Coalescer {
    /// Takes an event and gives those that are to be shown now.
    pub(super) fn push(&mut self, event: Event, now: Instant) -> Vec<Event> {
        let is_piece = is_piece(&event);
        self.hold(event);
        if is_piece && self.is_free_at.is_some_and(|free| now < free) {
            return Vec::new();
        }
        if is_piece {
            self.is_free_at = Some(now + PAUSE);
        }
        std::mem::take(&mut self.held)
    }

    /// When what is held has to be taken; `None` while nothing is.
    pub(super) fn due(&self) -> Option<Instant> {
        self.is_free_at.filter(|_| !self.held.is_empty())
    }

    /// Gives what is held.
    pub(super) fn flush(&mut self, now: Instant) -> Vec<Event> {
        if !self.held.is_empty() {
            self.is_free_at = Some(now + PAUSE);
        }
        std::mem::take(&mut self.held)
    }

    fn hold(&mut self, event: Event) {
        let is_joined = self.held.last_mut().is_some_and(|last| join(last, &event));
        if !is_joined {
            self.held.push(event);
        }
    }
}

fn is_piece(event: &Event) -> bool {
    use Progress::{ReasoningDelta, TextDelta, ToolProgress};
    matches!(event, Event::Progress { progress: TextDelta { .. } | ReasoningDelta { .. } | ToolProgress { .. }, .. })
}

/// Joins a piece to the one before it, if they are of a kind.
fn join(last: &mut Event, next: &Event) -> bool {
    use Progress::{ReasoningDelta, TextDelta, ToolProgress};
    let (Event::Progress { turn, progress: last }, Event::Progress { turn: next_turn, progress: next }) = (last, next)
    else {
        return false;
    };
    match (last, next) {
        _ if turn != next_turn => return false,
        (TextDelta { step, text }, TextDelta { step: next, text: more })
        | (ReasoningDelta { step, text }, ReasoningDelta { step: next, text: more })
            if step == next =>
        {
            text.push_str(more);
        }
        (ToolProgress { id, text }, ToolProgress { id: next, text: newer }) if id == next => text.clone_from(newer),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(step: u32, text: &str) -> Event {
        Event::Progress { turn: 1, progress: Progress::TextDelta { step, text: text.into() } }
    }

    fn thought(text: &str) -> Event {
        Event::Progress { turn: 1, progress: Progress::ReasoningDelta { step: 1, text: text.into() } }
    }

    #[test]
    fn the_first_piece_passes_and_those_that_follow_fast_are_joined() {
        let (mut coalescer, start) = (Coalescer::default(), Instant::now());

        assert_eq!(coalescer.push(piece(1, "a"), start), [piece(1, "a")]);
        assert_eq!(coalescer.push(piece(1, "b"), start), []);
        assert_eq!(coalescer.push(piece(1, "c"), start), []);
        assert_eq!(coalescer.due(), Some(start + PAUSE));
        assert_eq!(coalescer.flush(start + PAUSE), [piece(1, "bc")]);
        assert_eq!(coalescer.due(), None);
    }

    #[test]
    fn anything_else_takes_what_is_held_along() {
        let (mut coalescer, start) = (Coalescer::default(), Instant::now());
        coalescer.push(piece(1, "a"), start);
        coalescer.push(piece(1, "b"), start);

        let shown = coalescer.push(Event::Notice("n".into()), start);

        assert_eq!(shown, [piece(1, "b"), Event::Notice("n".into())]);
    }

    #[test]
    fn pieces_of_different_kinds_keep_their_order() {
        let (mut coalescer, start) = (Coalescer::default(), Instant::now());
        coalescer.push(thought("x"), start);
        coalescer.push(thought("y"), start);
        coalescer.push(piece(1, "a"), start);
        coalescer.push(piece(2, "b"), start);

        assert_eq!(coalescer.flush(start), [thought("y"), piece(1, "a"), piece(2, "b")]);
    }

    #[test]
    fn of_a_tools_output_the_newest_is_kept() {
        let progress = |text: &str| Event::Progress {
            turn: 1,
            progress: Progress::ToolProgress { id: "1".into(), text: text.into() },
        };
        let (mut coalescer, start) = (Coalescer::default(), Instant::now());
        coalescer.push(progress("a"), start);
        coalescer.push(progress("b"), start);
        coalescer.push(progress("c"), start);

        assert_eq!(coalescer.flush(start), [progress("c")]);
    }

    proptest! {
        #[test]
        fn the_pieces_join_to_the_same_text_and_are_few(
            pieces in prop::collection::vec(("[a-z]{0,3}", 0_u64..40), 0..100),
        ) {
            let (mut coalescer, start) = (Coalescer::default(), Instant::now());
            let (mut now, mut shown, mut times) = (start, Vec::new(), 0);
            for (text, pause) in &pieces {
                now += Duration::from_millis(*pause);
                if coalescer.due().is_some_and(|due| due <= now) {
                    shown.extend(coalescer.flush(now));
                    times += 1;
                }
                let passed = coalescer.push(piece(1, text), now);
                times += usize::from(!passed.is_empty());
                shown.extend(passed);
            }
            shown.extend(coalescer.flush(now));

            let texts = shown.iter().map(|event| match event {
                Event::Progress { progress: Progress::TextDelta { text, .. }, .. } => text.as_str(),
                other => panic!("nothing else was pushed than text, but {other:?}"),
            });
            prop_assert_eq!(texts.collect::<String>(), pieces.iter().map(|(text, _)| text.as_str()).collect::<String>());
            prop_assert!(times <= 1 + (now - start).as_millis() as usize / 50);
        }
    }
}
