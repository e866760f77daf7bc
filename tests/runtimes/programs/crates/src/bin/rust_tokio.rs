// SPDX-License-Identifier: GPL-2.0
//! tokio: six tasks of a runtime with four workers, one of which takes ten times as long as each other:
//! index_archive(). The other workers have no work meanwhile.
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
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    runtime.block_on(async {
        let mut tasks = vec![tokio::spawn(async { index_archive() })];
        tasks.extend((0..5).map(|_| tokio::spawn(async { index_mailbox() })));
        for task in tasks {
            task.await.unwrap();
        }
    });
}
