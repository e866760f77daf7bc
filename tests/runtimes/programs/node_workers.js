// SPDX-License-Identifier: GPL-2.0
/*
 * worker_threads: rounds in which three workers compute, and after each the main thread computes for
 * longer while they wait: compactJournal(). Work is by the clock, for the code gets quicker as the
 * program runs.
 */
'use strict';

const { Worker, isMainThread, parentPort } = require('worker_threads');

const WORKERS = 3;
const ROUNDS = 12;

function readEntries() {
	const end = performance.now() + 40;
	let sum = 0;
	while (performance.now() < end) {
		for (let i = 0; i < 20000; i++)
			sum = (sum * 31 + i) | 0;
	}
	return sum;
}

function compactJournal(entries) {
	const end = performance.now() + 300;
	let sum = entries;
	while (performance.now() < end) {
		for (let i = 0; i < 20000; i++)
			sum = (sum * 31 + i) | 0;
	}
	return sum;
}

async function main() {
	const workers = Array.from({ length: WORKERS }, () => new Worker(__filename));
	let journal = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const parts = await Promise.all(workers.map((worker) => new Promise((resolve) => {
			worker.once('message', resolve);
			worker.postMessage(round);
		})));
		journal = compactJournal(journal + parts.length);
	}
	workers.forEach((worker) => worker.terminate());
}

if (isMainThread)
	main();
else
	parentPort.on('message', () => parentPort.postMessage(readEntries()));
