// SPDX-License-Identifier: GPL-2.0
//! crossbeam_channel: one thread takes longer for an entry than three others together, who wait for it on
//! one channel: parse_entry().
use std::arch::asm;
use std::thread;

const ENTRIES: usize = 30;

include!("../../../burn.inc");

#[inline(never)]
fn parse_entry() -> u64 {
    burn(30);
    1
}

#[inline(never)]
fn store_entry(entry: u64) -> u64 {
    burn(5);
    entry
}

#[inline(never)]
fn store_entries(receiver: crossbeam_channel::Receiver<u64>) -> u64 {
    receiver.iter().map(store_entry).sum()
}

fn main() {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let receiver = receiver.clone();
            thread::spawn(move || store_entries(receiver))
        })
        .collect();
    for _ in 0..ENTRIES {
        sender.send(parse_entry()).unwrap();
    }
    drop(sender);
    let stored: u64 = threads.into_iter().map(|one| one.join().unwrap()).sum();
    assert_eq!(stored as usize, ENTRIES);
}
