/* SPDX-License-Identifier: GPL-2.0 */
/* The three pieces of data that gapp-read has written into the page: docs/design/page.md. */

function readJson(id) {
	const text = document.getElementById(id).textContent.trim();

	return text === "" ? null : JSON.parse(text);
}

const report = readJson("gapp-report");
const timeline = readJson("gapp-timeline");
const details = readJson("gapp-details") || {};

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
