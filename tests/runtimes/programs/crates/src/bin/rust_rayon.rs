// SPDX-License-Identifier: GPL-2.0
//! rayon: six tasks of a pool of four threads, one of which takes ten times as long as each other:
//! index_archive(). The other threads of the pool have no work meanwhile.
use std::arch::asm;

include!("../../../burn.inc");

#[inline(never)]
fn index_mailbox() {
    burn(100);
}

#[inline(never)]
fn index_archive() {
    burn(1000);
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.scope(|scope| {
        scope.spawn(|_| index_archive());
        for _ in 0..5 {
            scope.spawn(|_| index_mailbox());
        }
    });
}
