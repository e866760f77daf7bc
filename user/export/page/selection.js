/* SPDX-License-Identifier: GPL-2.0 */
/* The bar of the selection, and its figures. */

const SELECTED_ROWS = 8;

let selectedSums = null;

function momentInput(label, value, change) {
	const input = make("input", {
		type: "text",
		inputmode: "decimal",
		value: (value / runUnit.ns).toFixed(6),
	});

	input.addEventListener("change", () => {
		const typed = Number(input.value) * runUnit.ns;

		if (Number.isFinite(typed))
			change(typed);
	});
	return make("label", null, `${label} `, input);
}

function showBar() {
	const selection = state.selection,
		strip = byId("selection-bar");

	strip.hidden = !selection;
	if (!selection)
		return;
	const focused = [...strip.querySelectorAll("input, button")].indexOf(
		document.activeElement,
	);

	strip.replaceChildren(
		make("b", null, "Selected"),
		momentInput("from", selection.begin, (at) => select(at, selection.end)),
		momentInput("to", selection.end, (at) => select(selection.begin, at)),
		`${runUnit.name}: ${shortTime(selection.end - selection.begin)}, ` +
			`${percentOf(selection.end - selection.begin, lengthNs)} of the run`,
		make(
			"button",
			{ type: "button", id: "zoom-selection", onclick: viewSelection },
			"Zoom to it",
		),
		make(
			"button",
			{ type: "button", id: "clear-selection", onclick: () => select(0, 0) },
			"Clear ",
			make("kbd", null, "Esc"),
		),
	);
	if (focused >= 0)
		strip.querySelectorAll("input, button")[focused]?.focus();
}

function selectedPlaces(sums, whole) {
	const rows = [...sums.places]
		.map(([place, ran]) => ({ place, ran }))
		.sort((a, b) => b.ran - a.ran);
	const colour = (row) => (row.place < 0 ? REST : numbered(rankOf(row.place, -1)));

	return [
		make("h3", null, "Code that ran: thread time on CPUs"),
		tableOf(
			[
				{
					title: `ran ${runUnit.name}`,
					figure: true,
					of: (row) => inTable(row.ran),
				},
				{
					title: "% of all",
					figure: true,
					of: (row) => percentOf(row.ran, whole),
				},
				{ title: "", of: (row) => bar(row.ran / rows[0].ran, colour(row)) },
				{
					title: "code",
					kind: "name",
					of: (row) =>
						placeOfTimeline(row.place)
							? functionName(timeline.places[row.place])
							: "no sample names it",
				},
				{
					title: "line",
					of: (row) =>
						make(
							"code",
							null,
							placeOfTimeline(row.place)
								? fileLine(
										timeline.places[
											row.place
										],
									)
								: "",
						),
				},
			],
			rows,
			"Code that ran in the selection",
		),
	];
}

function tableOf(columns, rows, label) {
	const holder = make("div");

	putTable(holder, columns, rows, label, SELECTED_ROWS);
	return holder;
}

function selectedWaits(sums) {
	const rows = [...sums.reasons]
		.map((length, reason) => ({ reason, length }))
		.filter((row) => row.length > 0)
		.sort((a, b) => b.length - a.length);
	const whole = sumOf(rows, (row) => row.length);

	if (!rows.length)
		return [];
	return [
		make("h3", null, "What threads waited for: thread time"),
		tableOf(
			[
				{
					title: `waited ${runUnit.name}`,
					figure: true,
					of: (row) => inTable(row.length),
				},
				{
					title: "% of all",
					figure: true,
					of: (row) => percentOf(row.length, whole),
				},
				{
					title: "",
					of: (row) =>
						bar(
							row.length / rows[0].length,
							reasonColour(row.reason),
						),
				},
				{
					title: "for",
					of: (row) => timeline.reasons[row.reason] || "not known",
				},
			],
			rows,
			"Waits in the selection",
		),
	];
}

function selectedThreads(sums) {
	const rows = sums.threads.filter((row) => row.kinds.some((length) => length > 0));
	const kind = (title, of) => ({
		title: `${title} ${runUnit.name}`,
		figure: true,
		of: (row) => inTable(of(row.kinds)),
	});

	const spun = rows.some((row) => row.kinds[SPUN] > 0);

	const ran = (row) => row.kinds[RAN] + row.kinds[MOSTLY_RAN];

	rows.sort((a, b) => ran(b) - ran(a));
	return [
		make("h3", null, "Threads"),
		tableOf(
			[
				kind("ran", (kinds) => kinds[RAN] + kinds[MOSTLY_RAN]),
				kind("ready", (kinds) => kinds[READY]),
				kind("waited", (kinds) => kinds[WAITED] + kinds[MOSTLY_NOT]),
				...(spun ? [kind("spun", (kinds) => kinds[SPUN])] : []),
				{
					title: "thread",
					of: (row) => threadName(timeline.threads[row.thread]),
				},
			],
			rows,
			"Threads in the selection",
		),
	];
}

/* How long each section was the current one of its process. */
function selectedSections(selection) {
	const processes = programSections.filter((changes) => changes.at.length).length;
	const length = (selection.end - selection.begin) * processes;
	const rows = [...sectionSums(selection.begin, selection.end)]
		.map(([section, ns]) => ({ section, ns }))
		.sort((a, b) => b.ns - a.ns);

	if (!rows.length)
		return [];
	return [
		make("h3", null, "Sections: time of each as the current one"),
		tableOf(
			[
				{
					title: runUnit.name,
					figure: true,
					of: (row) => inTable(row.ns),
				},
				{
					title: processes > 1 ? `% of ${processes} processes' time` : "% of the selection",
					figure: true,
					of: (row) => percentOf(row.ns, length),
				},
				{
					title: "",
					of: (row) => bar(row.ns / rows[0].ns, numbered(row.section)),
				},
				{
					title: "section",
					kind: "name",
					of: (row) => sectionName(row.section),
				},
			],
			rows,
			"Sections in the selection",
		),
	];
}

const MARKS_SHOWN = 20;

/* What threads have said in the selection. */
function selectedMarks(selection) {
	const rows = marksBetween(selection.begin, selection.end);

	if (!rows.length)
		return [];
	return [
		make("h3", null, "Marks"),
		tableOf(
			[
				{ title: "marks", figure: true, of: (row) => row.marks },
				{
					title: "first at",
					figure: true,
					of: (row) => moment(row.first, lengthNs),
				},
				{ title: "text", kind: "name", of: (row) => markText(row.text) },
			],
			rows.slice(0, MARKS_SHOWN),
			"Marks in the selection",
		),
		...(rows.length > MARKS_SHOWN
			? [note(`${plural(rows.length - MARKS_SHOWN, "text")} more.`)]
			: []),
	];
}

function showSelected() {
	const section = byId("selected"),
		selection = state.selection;

	section.hidden = !selection || !timeline;
	selectedSums = null;
	if (section.hidden)
		return;
	const sums = sumsOfSelection(selection.begin, selection.end);
	const ran = sums.kinds[RAN] + sums.kinds[MOSTLY_RAN];
	const head =
		`${shortTime(selection.end - selection.begin)} from ${moment(selection.begin, lengthNs)}: threads ran ` +
		`for ${shortTime(ran)} together` +
		(sums.active === null
			? "."
			: `; about ${sums.active.toFixed(1)} were active on average, and few for about ${percent(sums.few * 100)} of it.`);

	selectedSums = sums;
	bodyOf("selected").replaceChildren(
		note(head, "sum"),
		...doubtsOfSelection(sums).map((text) => note(text)),
		note(
			"Critical time is shown for the whole run alone: the stays in this file do not have theirs.",
		),
		make(
			"div",
			{ class: "columns halves" },
			make("div", null, selectedWaits(sums), selectedThreads(sums)),
			make(
				"div",
				null,
				selectedPlaces(sums, ran),
				selectedSections(selection),
				selectedMarks(selection),
			),
		),
	);
}

function showSelection() {
	on("selection", showBar);
	on("selection", showSelected);
}
