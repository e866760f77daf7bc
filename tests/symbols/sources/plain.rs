// SPDX-License-Identifier: GPL-2.0
// Generic functions, closures, and what the standard library has inlined into them.
use std::collections::HashMap;

fn scale<T: Copy + std::ops::Mul<Output = T>>(values: &[T], by: T) -> Vec<T> {
    values.iter().map(|value| *value * by).collect()
}

struct Counter {
    seen: HashMap<u64, u64>,
}

impl Counter {
    #[inline(never)]
    fn add(&mut self, key: u64) -> u64 {
        let count = self.seen.entry(key).or_insert(0);
        *count += 1;
        *count
    }
}

fn main() {
    let mut counter = Counter { seen: HashMap::new() };
    let most = std::env::args().count() as u64 * 10;
    let sum: u64 = scale(&(0..most).collect::<Vec<u64>>(), 3)
        .into_iter()
        .map(|key| counter.add(key % 7))
        .sum();
    println!("{} {:?}", sum, scale(&[1.5f64, 2.5], 2.0));
}
