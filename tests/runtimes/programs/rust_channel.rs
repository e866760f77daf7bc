// SPDX-License-Identifier: GPL-2.0
//! std::sync::mpsc: one thread takes longer for an entry than three others together, who wait for it, each
//! on a channel of its own: parse_entry().
use std::arch::asm;
use std::sync::mpsc::{channel, Receiver};
use std::thread;

const ENTRIES: usize = 30;

include!("burn.inc");

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
fn store_entries(receiver: Receiver<u64>) -> u64 {
    receiver.iter().map(store_entry).sum()
}

fn main() {
    let (senders, threads): (Vec<_>, Vec<_>) = (0..3)
        .map(|_| {
            let (sender, receiver) = channel();
            (sender, thread::spawn(move || store_entries(receiver)))
        })
        .unzip();
    for i in 0..ENTRIES {
        senders[i % 3].send(parse_entry()).unwrap();
    }
    drop(senders);
    let stored: u64 = threads.into_iter().map(|one| one.join().unwrap()).sum();
    assert_eq!(stored as usize, ENTRIES);
}
