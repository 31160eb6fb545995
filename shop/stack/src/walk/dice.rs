//! Chance of a walk: the same seed, the same walk.

use shop_world::chance;

pub(super) struct Dice {
    seed: u64,
    rolled: u64,
}

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, rolled: 0 }
    }

    /// A number below `sides`, which is not zero.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        self.rolled += 1;
        let number = chance::number(self.seed, &["walk", &self.rolled.to_string()]);
        usize::try_from(number % u64::try_from(sides).unwrap()).unwrap()
    }

    pub(super) fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.below(from.len());
        &from[at]
    }
}
