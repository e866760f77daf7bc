// SPDX-License-Identifier: GPL-2.0
//! std::sync::Mutex: four threads compute, and each now and then calls compact_journal() with the
//! lock held, which takes longer than what they do in parallel.
use std::arch::asm;
use std::sync::{Arc, Mutex};
use std::thread;

const ROUNDS: usize = 8;

include!("burn.inc");

#[inline(never)]
fn read_entry() {
    burn(10);
}

#[inline(never)]
fn compact_journal(journal: &mut Vec<u64>) {
    burn(30);
    journal.push(1);
}

fn worker(journal: Arc<Mutex<Vec<u64>>>) {
    for _ in 0..ROUNDS {
        read_entry();
        compact_journal(&mut journal.lock().unwrap());
    }
}

fn main() {
    let journal = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let journal = journal.clone();
            thread::spawn(move || worker(journal))
        })
        .collect();
    for one in threads {
        one.join().unwrap();
    }
    assert_eq!(journal.lock().unwrap().len(), 4 * ROUNDS);
}
