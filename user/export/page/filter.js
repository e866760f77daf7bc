/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of a stretch of time, from the timeline's stays. Critical time is not among them, for
 * the stays in the file do not have theirs: a selection has time on CPUs.
 */

function emptySums() {
	return {
		kinds: new Float64Array(KINDS),
		reasons: new Float64Array(list(timeline.reasons).length + 1),
	};
}

/* What one thread did in a stretch of time; adds its running to @places. */
function sumsOfRow(row, begin, end, places) {
	const sums = emptySums(),
		last = sums.reasons.length - 1;

	for (
		let i = firstAbove(row.end, begin, 0, row.count);
		i < row.count && row.begin[i] < end;
		i++
	) {
		const length = Math.min(row.end[i], end) - Math.max(row.begin[i], begin);
		const kind = row.kind[i];

		sums.kinds[kind] += length;
		if (kind === WAITED)
			sums.reasons[row.who[i] >= 0 && row.who[i] < last ? row.who[i] : last] +=
				length;
		else if (kind === RAN || kind === MOSTLY_RAN)
			places.set(row.place[i], (places.get(row.place[i]) || 0) + length);
	}
	return sums;
}

/*
 * Figures of the selection: of each thread, of all, running by place and by thread and place.
 * @active and @few are averages of the timeline's steps.
 */
function sumsOfSelection(begin, end) {
	const all = emptySums(),
		places = new Map(),
		threads = [];

	threadRows.forEach((row, thread) => {
		const own = new Map(),
			sums = sumsOfRow(row, begin, end, own);

		threads.push({ thread, kinds: sums.kinds, places: own });
		sums.kinds.forEach((length, kind) => (all.kinds[kind] += length));
		sums.reasons.forEach((length, reason) => (all.reasons[reason] += length));
		for (const [place, length] of own)
			places.set(place, (places.get(place) || 0) + length);
	});
	return {
		begin,
		end,
		threads,
		kinds: all.kinds,
		reasons: all.reasons,
		places,
		active: averageOfSteps(
			list(timeline.parallelism && timeline.parallelism.active),
			begin,
			end,
		),
		few: averageOfSteps(
			list(timeline.parallelism && timeline.parallelism.critical),
			begin,
			end,
		),
	};
}

/* The average of @values, one for each step, from @begin to @end; null: there is none. */
function averageOfSteps(values, begin, end) {
	const step = timeline.parallelism ? timeline.parallelism.step_ns : 0;
	let sum = 0,
		length = 0;

	if (!(step > 0))
		return null;
	for (let i = Math.floor(begin / step); i < values.length && i * step < end; i++) {
		/* the last step may be shorter than the others */
		const part = Math.min((i + 1) * step, end, lengthNs) - Math.max(i * step, begin);

		sum += part * values[i];
		length += part;
	}
	return length > 0 ? sum / length : null;
}

/* What of the selection records do not tell. */
function doubtsOfSelection(sums) {
	const doubts = [],
		merged = sums.kinds[MOSTLY_RAN] + sums.kinds[MOSTLY_NOT];
	const unknown = sums.kinds[UNKNOWN];

	if (!timeline.every_slice)
		doubts.push(
			"The recording has only slices in which few threads were active: " +
				"what ran beside them is missing here.",
		);
	if (timeline.threads_left_out > 0)
		doubts.push(
			`${plural(timeline.threads_left_out, "thread")} found no room in this file: they are missing here.`,
		);
	if (merged > 0)
		doubts.push(
			`Stays shorter than ${shortTime(timeline.merged_below_ns)} were merged: ` +
				`${shortTime(merged)} of thread time here ` +
				"is counted as what most of a merged stay was.",
		);
	if (unknown > 0)
		doubts.push(`What threads did for ${shortTime(unknown)} of their time is not known.`);
	return doubts;
}
