//! Figures from many measurements.

use std::time::{Duration, Instant};

/// Durations of one kind of thing.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    sorted: Vec<Duration>,
}

impl FromIterator<Duration> for Samples {
    fn from_iter<T: IntoIterator<Item = Duration>>(durations: T) -> Self {
        let mut sorted: Vec<Duration> = durations.into_iter().collect();
        sorted.sort_unstable();
        Self { sorted }
    }
}

impl Samples {
    /// The duration that `percent` of a hundred do not exceed, in milliseconds; `None` of nothing.
    pub(crate) fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.sorted.len() * percent).div_ceil(100).max(1);
        self.sorted.get(rank - 1).copied().map(millis)
    }
}

/// A duration in milliseconds.
pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The time between each moment and the next.
pub(crate) fn gaps(moments: &[Instant]) -> impl Iterator<Item = Duration> {
    moments.windows(2).filter_map(|pair| Some(pair.get(1)?.duration_since(*pair.first()?)))
}

/// The mean time between moments in the first tenth of them and in the last, in milliseconds; `None` of less than 20.
pub(crate) fn tenths(moments: &[Instant]) -> Option<(f64, f64)> {
    let count = moments.len() / 10;
    if count < 2 {
        return None;
    }
    let mean = |part: &[Instant]| {
        let (first, last) = part.first().zip(part.last())?;
        let between = u32::try_from(part.len().checked_sub(1)?).ok()?;
        Some(millis(last.duration_since(*first)) / f64::from(between))
    };
    Some((mean(moments.get(..count)?)?, mean(moments.get(moments.len() - count..)?)?))
}

/// The slope of the straight line that fits the points best; `None` if they do not stand apart.
pub(crate) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let sum = |part: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>();
    let count = sum(&|_| 1.0);
    let (mean_x, mean_y) = (sum(&|(x, _)| *x) / count, sum(&|(_, y)| *y) / count);
    let spread = sum(&|(x, _)| (x - mean_x).powi(2));
    (spread > 0.0).then(|| sum(&|(x, y)| (x - mean_x) * (y - mean_y)) / spread)
}

/// The mean of numbers; `None` of nothing.
pub(crate) fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: Option<f64>, other: f64) -> bool {
        one.is_some_and(|one| (one - other).abs() < 1e-9)
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_durations() {
        let samples: Samples = (1..=200).rev().map(Duration::from_millis).collect();
        assert!(close(samples.percentile(50), 100.0) && close(samples.percentile(99), 198.0));
        let one: Samples = [Duration::from_millis(3)].into_iter().collect();
        assert!(close(one.percentile(50), 3.0) && close(one.percentile(99), 3.0));
        assert!(Samples::default().percentile(50).is_none());
    }

    #[test]
    fn tenths_compare_the_beginning_with_the_end() {
        let begun = Instant::now();
        let mut at = begun;
        let moments: Vec<Instant> = (0..100_u64)
            .map(|number| {
                at += Duration::from_millis(if number < 50 { 1 } else { 3 });
                at
            })
            .collect();
        let (first, last) = tenths(&moments).expect("there are enough");
        assert!(close(Some(first), 1.0) && close(Some(last), 3.0), "{first} {last}");
        assert!(tenths(&moments[..19]).is_none());
        assert_eq!(gaps(&moments).count(), 99);
    }

    #[test]
    fn the_slope_is_that_of_the_line() {
        let points: Vec<(f64, f64)> = [0.0, 1.0, 2.0, 5.0].map(|x| (x, 7.0 + 2.5 * x)).to_vec();
        assert!(close(slope(&points), 2.5));
        assert!(slope(&points[..1]).is_none() && slope(&[]).is_none());
        assert!(close(mean([1.0, 2.0, 6.0].into_iter()), 3.0) && mean(std::iter::empty()).is_none());
    }
}
