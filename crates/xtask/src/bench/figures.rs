//! From runs to a table of ratios.

use std::fmt::Write;
use std::time::Duration;

use super::driver::Run;
use super::ms;

/// The runs of both sides.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) candidate: Side,
    pub(super) floor: Side,
}

/// The runs of one side.
#[derive(Default)]
pub(super) struct Side {
    /// Of one turn each.
    pub(super) start: Vec<Run>,
    /// Of many turns each.
    pub(super) turns: Vec<Run>,
}

impl Figures {
    /// One line per figure: both sides and their ratio.
    pub(super) fn table(&self) -> String {
        let mut table = format!("{:<36} {:>10} {:>10} {:>8}\n", "a text turn, in ms", "cowhand", "floor", "ratio");
        let mut line = |name: &str, figure: fn(&Side) -> Duration| {
            table.push_str(&row(name, figure(&self.candidate), figure(&self.floor)));
        };
        line("CPU of a turn", |side| side.of_a_turn(|run| run.cpu));
        line("  of it in the kernel", |side| side.of_a_turn(|run| run.system));
        line("CPU of a start with one turn", Side::cpu_of_a_start);
        line("message to answer, p50", |side| side.latency(50));
        line("message to answer, p99", |side| side.latency(99));
        let added = |percent| self.candidate.latency(percent).saturating_sub(self.floor.latency(percent));
        writeln!(table, "added latency: p50 {} ms, p99 {} ms", ms(added(50)), ms(added(99))).expect("text takes all");
        table
    }
}

/// A line of a table: a figure of both sides and its ratio.
pub(super) fn row(name: &str, ours: Duration, floor: Duration) -> String {
    let ratio = ours.as_secs_f64() / floor.as_secs_f64();
    format!("{name:<36} {:>10} {:>10} {ratio:>8.2}\n", ms(ours), ms(floor))
}

impl Side {
    /// What a turn costs when the process runs already: the difference between many turns and one.
    fn of_a_turn(&self, cost: fn(&Run) -> Duration) -> Duration {
        let many: Duration = self.turns.iter().map(cost).sum();
        let one: Duration = self.start.iter().map(cost).sum();
        let more_turns: usize = self.turns.iter().map(|run| run.turns.len() - 1).sum();
        many.saturating_sub(one) / u32::try_from(more_turns).unwrap_or(u32::MAX)
    }

    fn cpu_of_a_start(&self) -> Duration {
        let sum: Duration = self.start.iter().map(|run| run.cpu).sum();
        sum / u32::try_from(self.start.len()).unwrap_or(u32::MAX)
    }

    /// The latency that so many percent of the turns stay within; the first turn of a run is left out, it waits for the start.
    fn latency(&self, percent: usize) -> Duration {
        let mut times: Vec<Duration> = self.turns.iter().flat_map(|run| &run.turns[1..]).copied().collect();
        times.sort_unstable();
        times[(times.len() * percent).div_ceil(100).saturating_sub(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(cpu_ms: u64, turns_ms: &[u64]) -> Run {
        let turns = turns_ms.iter().map(|ms| Duration::from_millis(*ms)).collect();
        Run {
            cpu: Duration::from_millis(cpu_ms),
            system: Duration::from_millis(cpu_ms / 2),
            cpu_of_turns: Duration::ZERO,
            turns,
        }
    }

    #[test]
    fn the_price_of_a_turn_is_without_the_start() {
        let side = Side { start: vec![run(10, &[9])], turns: vec![run(18, &[9, 1, 1, 1, 2])] };

        assert_eq!(side.of_a_turn(|run| run.cpu), Duration::from_millis(2));
        assert_eq!(side.of_a_turn(|run| run.system), Duration::from_millis(1));
        assert_eq!(side.cpu_of_a_start(), Duration::from_millis(10));
    }

    #[test]
    fn latencies_are_told_by_rank_without_the_first_turn() {
        let side = Side { start: vec![run(1, &[1])], turns: vec![run(1, &[99, 4, 1, 3, 2])] };

        assert_eq!(side.latency(50), Duration::from_millis(2));
        assert_eq!(side.latency(99), Duration::from_millis(4));
    }

    #[test]
    fn the_table_compares_both_sides() {
        let side = |cpu: u64| Side { start: vec![run(10, &[9])], turns: vec![run(10 + cpu, &[9, 1])] };

        let table = Figures { candidate: side(3), floor: side(2) }.table();

        assert!(table.contains("CPU of a turn                              3.00       2.00     1.50"), "{table}");
    }
}
