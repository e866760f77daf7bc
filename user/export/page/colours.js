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

function sameCode(place, at) {
	return place.function === at.function && place.object === at.object;
}

/* Number in the report of the place that a place of the timeline is a part of, or -1. */
const reportPlaces = list(report.places);
const rankOfPlace = list(timeline && timeline.places).map((at) => {
	let found = reportPlaces.findIndex(
		(place) => sameCode(place, at) && place.line === at.line,
	);

	if (found < 0)
		found = reportPlaces.findIndex((place) => sameCode(place, at));
	return found;
});

/* What running is coloured by. */
const MODES = {
	place: {
		title: "place",
		of: (stay) => (stay.place < 0 ? -1 : rankOfPlace[stay.place]),
		names: () =>
			reportPlaces.map((place) => `${functionName(place)} ${fileLine(place)}`),
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
};

function programName(program) {
	return `${program.name || "?"} (${program.tgid})`;
}
