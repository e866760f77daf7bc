/* SPDX-License-Identifier: GPL-2.0 */
/* The three pieces of data that gapp-read has written into the page: docs/design/page.md. */

function readJson(id) {
	const text = document.getElementById(id).textContent.trim();

	return text === "" ? null : JSON.parse(text);
}

/* Controls, and what would turn the direction of the text behind it. */
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escapeUnseen(text) {
	return text.replace(
		UNSEEN,
		(letter) => `\\u${letter.codePointAt(0).toString(16).padStart(4, "0")}`,
	);
}

/* Makes visible what is not, in all texts of @value; returns what stands for @value. */
function makeVisible(value) {
	if (typeof value === "string")
		return escapeUnseen(value);
	if (value !== null && typeof value === "object")
		for (const key of Object.keys(value))
			value[key] = makeVisible(value[key]);
	return value;
}

const report = makeVisible(readJson("gapp-report"));
const timeline = readJson("gapp-timeline");
const details = readJson("gapp-details") || {};

/* not the rows: they are long, and have no text */
if (timeline)
	makeVisible([
		timeline.reasons,
		timeline.programs,
		timeline.threads,
		timeline.places,
		timeline.sections && timeline.sections.names,
		timeline.marks && timeline.marks.texts,
	]);
makeVisible([details.sources, details.flame && details.flame.frames]);
makeVisible([
	details.flame && details.flame.modules,
	details.flame && details.flame.threads_of_rows,
]);
details.text = escapeUnseen(String(details.text || ""));

const NS = 1e9;
const wallNs = report.wall_s * NS;
const withTargets = Array.isArray(report.targets) && report.targets.length > 0;

function list(value) {
	return Array.isArray(value) ? value : [];
}

/* What is missing counts 0. */
function number(value) {
	return Number.isFinite(value) ? value : 0;
}

function sumOf(values, of) {
	let sum = 0;

	for (const value of values)
		sum += number(of(value));
	return sum;
}

/* Numbers of kinds of stays, as in the rows of the timeline. */
const RAN = 0,
	SPUN = 1,
	READY = 2,
	WAITED = 3,
	UNKNOWN = 4,
	MOSTLY_RAN = 5,
	MOSTLY_NOT = 6;
const KINDS = 7;
const FIELDS = 5;
