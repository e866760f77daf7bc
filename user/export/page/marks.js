/* SPDX-License-Identifier: GPL-2.0 */
/* Marks that threads have set: when, and what they say. */

const MARK_FIELDS = 3;
const MARKS_TOLD = 3;
const markData =
	timeline && timeline.marks && typeof timeline.marks === "object" ? timeline.marks : {};
const markTexts = list(markData.texts);

/* Of each thread with marks: times, and numbers of texts. */
const marksOfThread = (() => {
	const flat = list(markData.points),
		threads = new Map();
	let at = 0;

	for (let i = 0; i + MARK_FIELDS <= flat.length; i += MARK_FIELDS) {
		const thread = number(flat[i + 1]);

		at += Math.max(number(flat[i]), 0);
		if (!threads.has(thread))
			threads.set(thread, { at: [], text: [] });
		threads.get(thread).at.push(at);
		threads.get(thread).text.push(number(flat[i + 2]));
	}
	return threads;
})();

function markText(text) {
	return markTexts[text] || "(no text)";
}

/* Marks of a thread from @begin to @end, as lines of a tip. */
function tellMarks(thread, begin, end) {
	const own = marksOfThread.get(thread);

	if (!own)
		return [];
	const from = firstAbove(own.at, begin, 0, own.at.length),
		to = firstAbove(own.at, end, from, own.at.length);
	const lines = [];

	for (let i = from; i < Math.min(to, from + MARKS_TOLD); i++)
		lines.push(`mark ${markText(own.text[i])}, at ${moment(own.at[i], end - begin)}`);
	if (to > from + MARKS_TOLD)
		lines.push(`and ${plural(to - from - MARKS_TOLD, "mark")} more`);
	return lines;
}

/* How often each text was set from @begin to @end, and when first. */
function marksBetween(begin, end) {
	const texts = new Map();

	for (const own of marksOfThread.values()) {
		const to = firstAbove(own.at, end, 0, own.at.length);

		for (let i = firstAbove(own.at, begin - 1, 0, own.at.length); i < to; i++) {
			const row = texts.get(own.text[i]) || { text: own.text[i], marks: 0, first: Infinity };

			row.marks++;
			row.first = Math.min(row.first, own.at[i]);
			texts.set(own.text[i], row);
		}
	}
	return [...texts.values()].sort((a, b) => a.first - b.first);
}

function markNotes() {
	return markData.left_out > 0
		? [`${plural(markData.left_out, "mark")} found no room in this file.`]
		: [];
}
