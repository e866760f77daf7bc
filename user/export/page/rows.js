/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of the timeline: what each CPU and each thread did, and when. */

/* A flat array of the file as arrays by stay; @busy is the time on a CPU before each stay. */
function decodeRow(flat) {
	const count = Math.floor(list(flat).length / FIELDS);
	const row = {
		count,
		begin: new Float64Array(count),
		end: new Float64Array(count),
		kind: new Uint8Array(count),
		who: new Int32Array(count),
		place: new Int32Array(count),
		busy: new Float64Array(count + 1),
	};
	let at = 0;

	for (let i = 0; i < count; i++) {
		const from = i * FIELDS,
			kind = flat[from + 2];

		row.begin[i] = at + Math.max(number(flat[from]), 0);
		row.end[i] = at = row.begin[i] + Math.max(number(flat[from + 1]), 0);
		row.kind[i] = kind >= 0 && kind < KINDS ? kind : UNKNOWN;
		row.who[i] = flat[from + 3];
		row.place[i] = flat[from + 4];
		row.busy[i + 1] = row.busy[i] + (isBusy(row.kind[i]) ? at - row.begin[i] : 0);
	}
	return row;
}

function isBusy(kind) {
	return kind === RAN || kind === SPUN || kind === MOSTLY_RAN;
}

/* Number of the first stay from @from on for which values[i] > limit. */
function firstAbove(values, limit, from, count) {
	let low = from,
		high = count;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (values[middle] > limit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Time on a CPU up to the moment @at. */
function busyUntil(row, at) {
	const i = firstAbove(row.end, at, 0, row.count);
	let sum = row.busy[i];

	if (i < row.count && row.begin[i] < at && isBusy(row.kind[i]))
		sum += at - row.begin[i];
	return sum;
}

/* Number of the stay at the moment @at, or -1. */
function stayAt(row, at) {
	const i = firstAbove(row.end, at, 0, row.count);

	return i < row.count && row.begin[i] <= at ? i : -1;
}

const cpuRows = list(timeline && timeline.cpu_rows).map(decodeRow);
const threadRows = list(timeline && timeline.thread_rows).map(decodeRow);

/* Wake-ups: time, from, to. */
const wakes = (() => {
	const flat = list(timeline && timeline.wakes),
		count = Math.floor(flat.length / 3);
	const found = {
		count,
		at: new Float64Array(count),
		from: new Int32Array(count),
		to: new Int32Array(count),
	};
	let at = 0;

	for (let i = 0; i < count; i++) {
		found.at[i] = at += number(flat[i * 3]);
		found.from[i] = flat[i * 3 + 1];
		found.to[i] = flat[i * 3 + 2];
	}
	return found;
})();

const WAKES_LOOKED_AT = 256;

/* Number of the wake-up that made @thread runnable between @after and @at, or -1. */
function wakeOf(thread, after, at) {
	let i = firstAbove(wakes.at, at, 0, wakes.count) - 1;

	for (
		let looked = 0;
		i >= 0 && looked < WAKES_LOOKED_AT && wakes.at[i] >= after;
		looked++, i--
	)
		if (wakes.to[i] === thread)
			return i;
	return -1;
}

function wakerName(from) {
	if (from === -1)
		return "an interrupt";
	return from >= 0 && timeline.threads[from]
		? threadName(timeline.threads[from])
		: "not known";
}

/* The critical path: flat [begin, end, thread, what, ...]. */
const PATH_FIELDS = 4;
const pathData = (timeline && timeline.critical_path) || {};
const criticalPath = (() => {
	const flat = list(pathData.parts),
		parts = [];
	let at = 0;

	for (let i = 0; i + PATH_FIELDS <= flat.length; i += PATH_FIELDS) {
		const begin = at + Math.max(number(flat[i]), 0);

		at = begin + Math.max(number(flat[i + 1]), 0);
		parts.push(begin, at, number(flat[i + 2]), number(flat[i + 3]));
	}
	return parts;
})();
const PATH_WORDS = ["ran", "ready, without a CPU", "waited", "nothing ran", "several parts, merged"];

/* Index of the first part that ends behind @at. */
function firstPart(at) {
	let low = 0,
		high = Math.floor(criticalPath.length / PATH_FIELDS);

	while (low < high) {
		const middle = (low + high) >> 1;

		if (criticalPath[middle * PATH_FIELDS + 1] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low * PATH_FIELDS;
}

/* What a thread does on the path at a moment, or nothing. */
function onPath(thread, at) {
	const i = firstPart(at);

	return i < criticalPath.length && criticalPath[i] <= at && criticalPath[i + 2] === thread
		? PATH_WORDS[criticalPath[i + 3]] || "not known"
		: "";
}

function pathNotes() {
	const notes = [];

	if (pathData.merged > 0)
		notes.push(
			`${plural(pathData.merged, "part")} of the critical path shorter than ` +
				`${shortTime(pathData.merged_below_ns)} were merged with their neighbours, ` +
				"and are drawn at the thread that had the longest of them.",
		);
	if (pathData.known_from_ns > 0)
		notes.push(
			`The critical path is not known before ${moment(pathData.known_from_ns, lengthNs)}: ` +
				"the oldest slices found no room.",
		);
	if (pathData.unknown_ns > number(pathData.known_from_ns))
		notes.push(
			`The critical path is not known for ${shortTime(
				pathData.unknown_ns - number(pathData.known_from_ns),
			)}: records were lost.`,
		);
	return notes;
}

/* The stretches that stays cover, each moment once: begin, end, begin, end... */
function unionOf(begins, ends) {
	const from = Float64Array.from(begins).sort(),
		to = Float64Array.from(ends).sort(),
		union = [];
	let open = 0;

	for (let begun = 0, ended = 0; ended < to.length; ) {
		if (begun < from.length && from[begun] <= to[ended]) {
			if (!open++)
				union.push(from[begun]);
			begun++;
		} else {
			if (!--open)
				union.push(to[ended]);
			ended++;
		}
	}
	return union;
}

/* What of the stretches is not covered by the others; both are in the order of time. */
function without(stretches, others) {
	const left = [];
	let next = 0;

	for (let i = 0; i < stretches.length; i += 2) {
		let at = stretches[i];

		while (next < others.length && others[next + 1] <= at)
			next += 2;
		for (let j = next; j < others.length && others[j] < stretches[i + 1]; j += 2) {
			if (others[j] > at)
				left.push(at, others[j]);
			at = Math.max(at, others[j + 1]);
		}
		if (at < stretches[i + 1])
			left.push(at, stretches[i + 1]);
	}
	return left;
}

/*
 * Stretches in which every thread of a program was stopped: at least one waited, and no thread of
 * the program did anything else. Time that is not known or was merged does not count as stopped.
 */
function stoppedTimes(program) {
	const spin = list(timeline.reasons).indexOf("spin");
	const waits = { begins: [], ends: [] },
		others = { begins: [], ends: [] };

	threadRows.forEach((row, i) => {
		if (!timeline.threads[i] || number(timeline.threads[i].program) !== program)
			return;
		for (let j = 0; j < row.count; j++) {
			const waited = row.kind[j] === WAITED && row.who[j] !== spin;
			const into = waited ? waits : others;

			if (row.end[j] > row.begin[j]) {
				into.begins.push(row.begin[j]);
				into.ends.push(row.end[j]);
			}
		}
	});
	return without(
		unionOf(waits.begins, waits.ends),
		unionOf(others.begins, others.ends),
	);
}

const stoppedByProgram =
	timeline && timeline.threads_left_out > 0
		? []
		: list(timeline && timeline.programs).map((_, i) => stoppedTimes(i));
