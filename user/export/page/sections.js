/* SPDX-License-Identifier: GPL-2.0 */
/* Sections that the program's marks name: of each thread, and the current one of a process. */

const NO_SECTION = -2; /* several that were merged are -1 */
const SECTION_FIELDS = 6;
const SECTION_LEVELS = 3; /* drawn: those within more sections are drawn at the last level */

const sectionData =
	timeline && timeline.sections && typeof timeline.sections === "object"
		? timeline.sections
		: {};
const sectionNames = list(sectionData.names);

/* Sections of a thread by the number of sections that they are in: flat arrays by section. */
function decodeSections(of) {
	const flat = list(of.stays),
		depths = [];
	let at = 0,
		last = -1;

	for (let i = 0; i + SECTION_FIELDS <= flat.length; i += SECTION_FIELDS) {
		const depth = Math.min(Math.max(number(flat[i + 3]), 0), 63);

		if (depth !== last)
			at = 0;
		last = depth;
		while (depths.length <= depth)
			depths.push({ begin: [], end: [], name: [], sections: [], ns: [] });
		const begin = at + Math.max(number(flat[i]), 0);

		at = begin + Math.max(number(flat[i + 1]), 0);
		depths[depth].begin.push(begin);
		depths[depth].end.push(at);
		depths[depth].name.push(number(flat[i + 2]));
		depths[depth].sections.push(number(flat[i + 4]));
		depths[depth].ns.push(number(flat[i + 5]));
	}
	return { thread: number(of.thread), program: number(of.program), depths };
}

const sectionRows = list(sectionData.threads).map(decodeSections);
/* A thread with marks alone has no row of its own. */
const rowsOfThreads = sectionRows.filter((row) => row.thread >= 0);
const sectionsOfThread = new Map(rowsOfThreads.map((row) => [row.thread, row.depths]));
const sectionLevels = Math.min(
	sectionRows.reduce((most, row) => Math.max(most, row.depths.length), 0),
	SECTION_LEVELS,
);

function sectionName(section) {
	if (section === NO_SECTION)
		return "no section";
	return sectionNames[section] ?? "several sections";
}

/*
 * Which section of @rows is the current one, and from when on: of those that are open the one that
 * began last.
 */
function currentSections(rows) {
	const all = rows.flatMap((row) =>
		row.depths.flatMap((own, depth) =>
			own.begin.map((begin, i) => ({
				begin,
				end: own.end[i],
				name: own.name[i],
				/* between sections that were merged the thread was in none */
				part: own.ns[i] / (own.end[i] - begin),
				depth,
				open: true,
			})),
		),
	);
	const changes = { at: [], section: [], part: [] },
		stack = [];
	const note = (at) => {
		while (stack.length && !stack[stack.length - 1].open)
			stack.pop();
		const open = stack[stack.length - 1];
		const now = open ? open.name : NO_SECTION,
			part = open ? open.part : 1;
		const last = changes.at.length - 1;

		if (last >= 0 && changes.at[last] === at) {
			changes.section[last] = now;
			changes.part[last] = part;
		} else if (last < 0 || changes.section[last] !== now || changes.part[last] !== part) {
			changes.at.push(at);
			changes.section.push(now);
			changes.part.push(part);
		}
	};

	all.sort((a, b) => a.begin - b.begin || a.depth - b.depth);
	const ends = all.slice().sort((a, b) => a.end - b.end);
	let ended = 0;
	const endUntil = (at) => {
		for (; ended < ends.length && ends[ended].end <= at; ended++) {
			ends[ended].open = false;
			note(ends[ended].end);
		}
	};

	for (const one of all) {
		endUntil(one.begin);
		stack.push(one);
		note(one.begin);
	}
	endUntil(Infinity);
	return changes;
}

const threadSections = new Map(rowsOfThreads.map((row) => [row.thread, currentSections([row])]));
const programSections = list(timeline && timeline.programs).map((_, program) =>
	currentSections(sectionRows.filter((row) => row.program === program)),
);

function changeAt(changes, at) {
	const next = changes ? firstAbove(changes.at, at, 0, changes.at.length) : 0;

	return {
		section: next ? changes.section[next - 1] : NO_SECTION,
		until: changes && next < changes.at.length ? changes.at[next] : Infinity,
	};
}

/* The section that a thread is in at a moment, or else its process, and until when. */
function sectionAt(thread, at) {
	if (thread < 0)
		return { section: NO_SECTION, until: Infinity, own: false };
	const own = changeAt(threadSections.get(thread), at);
	const program = timeline.threads[thread] && timeline.threads[thread].program;
	const whole = changeAt(programSections[program], at);

	return {
		section: own.section === NO_SECTION ? whole.section : own.section,
		until: Math.min(own.until, whole.until),
		own: own.section !== NO_SECTION,
	};
}

/* Time from @begin to @end in which each section was the current one of a process. */
function sectionSums(begin, end) {
	const sums = new Map();

	for (const changes of programSections) {
		let i = Math.max(firstAbove(changes.at, begin, 0, changes.at.length) - 1, 0);

		for (; i < changes.at.length && changes.at[i] < end; i++) {
			const until = i + 1 < changes.at.length ? changes.at[i + 1] : lengthNs;
			const length =
				(Math.min(until, end) - Math.max(changes.at[i], begin)) *
				changes.part[i];

			if (changes.section[i] !== NO_SECTION && length > 0)
				sums.set(
					changes.section[i],
					(sums.get(changes.section[i]) || 0) + length,
				);
		}
	}
	return sums;
}

function sectionNotes() {
	const notes = [];

	if (sectionData.merged > 0)
		notes.push(
			`${plural(sectionData.merged, "section")} shorter than ${shortTime(sectionData.merged_below_ns)} ` +
				"were merged with their neighbours, so that this file stays small.",
		);
	if (sectionData.left_out > 0)
		notes.push(`${plural(sectionData.left_out, "section")} found no room in this file.`);
	if (sectionData.marks_left_out > 0)
		notes.push(
			`${plural(sectionData.marks_left_out, "mark")} found no room in the buffers: ` +
				"begins and ends of sections may be paired wrongly.",
		);
	return notes;
}
