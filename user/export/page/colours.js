/* SPDX-License-Identifier: GPL-2.0 */
/* Colours of Okabe and Ito; what they stand for. */

const OKABE_ITO = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442"];
const REST = "#8a8f96";
const READY_COLOUR = "#E69F00";
const LIGHT = {
	back: "#ffffff",
	ink: "#16191d",
	faint: "#59626d",
	line: "#d5dae0",
	panel: "#f6f7f8",
	hot: "#d55e00",
	wake: "#16191d",
	path: "#000000",
};
const DARK = {
	back: "#14171a",
	ink: "#e7eaee",
	faint: "#a0a9b4",
	line: "#363d46",
	panel: "#1d2126",
	hot: "#e8792b",
	wake: "#e7eaee",
	path: "#ffffff",
};
/* Wait reasons whose colours differ: the others share one. */
const REASON_COLOURS = {
	lock: "#D55E00",
	"kernel-lock": "#D55E00",
	queue: "#0072B2",
	join: "#56B4E9",
	barrier: "#CC79A7",
	disk: "#F0E442",
	network: "#009E73",
	pipe: "#009E73",
	spin: "#E69F00",
};

function themeColours() {
	return document.documentElement.dataset.theme === "dark" ? DARK : LIGHT;
}

function numbered(index) {
	return index >= 0 && index < OKABE_ITO.length ? OKABE_ITO[index] : REST;
}

function reasonColour(reason) {
	return REASON_COLOURS[list(timeline && timeline.reasons)[reason]] || REST;
}

const reportPlaces = list(report.places);
const rankFound = new Map();

/* Index of the first place that ran in the function of @at; @tgid: of this process, 0: of any. */
function firstRan(at, tgid) {
	return reportPlaces.findIndex(
		(place) =>
			place.kind !== "waited" &&
			place.function === functionName(at) &&
			place.object === at.object &&
			(!tgid || place.tgid === tgid),
	);
}

function firstOfCode(place) {
	return place.kind === "waited" ? -1 : firstRan(place, withTargets ? place.tgid : 0);
}

/*
 * Index in the report of the first place that a function of the timeline is, or -1. Lines are not
 * compared: that of a stay is where the stay ended, that of a place where most of its time went.
 */
function rankOf(index, thread) {
	const at = placeOfTimeline(index),
		tgid = withTargets && thread >= 0 ? timeline.threads[thread].tgid : 0;
	const key = `${index} ${tgid}`;

	if (!at)
		return -1;
	if (!rankFound.has(key))
		rankFound.set(key, firstRan(at, tgid));
	return rankFound.get(key);
}

function placeOfTimeline(index) {
	return (index >= 0 && list(timeline.places)[index]) || null;
}

/* What running is coloured by. */
const MODES = {
	place: {
		title: "place",
		of: (stay) => rankOf(stay.place, stay.thread),
		names: () =>
			reportPlaces.map((place, i) =>
				firstOfCode(place) === i ? placeLegend(place) : null,
			),
	},
	thread: {
		title: "thread",
		of: (stay) => (stay.thread < 0 ? -1 : stay.thread % OKABE_ITO.length),
		names: () => list(timeline.threads).map(threadName),
	},
	program: {
		title: "program",
		of: (stay) =>
			stay.thread < 0 ? -1 : number(timeline.threads[stay.thread].program),
		names: () => list(timeline.programs).map(programName),
	},
	section: {
		title: "section",
		of: (stay) => sectionAt(stay.thread, stay.at).section,
		names: () => sectionNames,
	},
};

function placeLegend(place) {
	const target = withTargets && list(report.targets).find((one) => one.tgid === place.tgid);

	return `#${place.rank} ${functionName(place)}${target ? ` of ${target.comm} (${target.tgid})` : ""}`;
}

function programName(program) {
	return `${program.name || "?"} (${program.tgid})`;
}
