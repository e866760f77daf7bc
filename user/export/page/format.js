/* SPDX-License-Identifier: GPL-2.0 */
/* Figures as words, in the units of the text report. */

const UNITS = [
	{ name: "s", ns: 1e9 },
	{ name: "ms", ns: 1e6 },
	{ name: "us", ns: 1e3 },
];

function unitOf(ns) {
	return UNITS.find((unit) => ns >= unit.ns) || UNITS[UNITS.length - 1];
}

/* One unit for all figures of the run, so that columns can be compared. */
const runUnit = unitOf(wallNs);

/* In a table whose head names the unit. */
function inTable(ns) {
	return (ns / runUnit.ns).toFixed(3);
}

/* In a sentence. */
function time(ns) {
	return `${(ns / runUnit.ns).toFixed(2)} ${runUnit.name}`;
}

/* In the unit that suits a short time by itself. */
function shortTime(ns) {
	if (ns < 1000)
		return `${Math.round(ns)} ns`;
	const unit = unitOf(ns),
		value = ns / unit.ns;

	return `${value.toFixed(value < 9.95 ? 1 : 0)} ${unit.name}`;
}

/* A moment of the run, as exactly as a screen of @span nanoseconds can show it. */
function moment(ns, span) {
	const digits = Math.ceil(Math.log10(runUnit.ns / Math.max(span / 1000, 1)));

	return `${(ns / runUnit.ns).toFixed(Math.min(Math.max(digits, 2), 9))} ${runUnit.name}`;
}

function percent(part) {
	return `${part < 1 ? part.toFixed(1) : Math.round(part)} %`;
}

function percentOf(part, whole) {
	return percent(whole > 0 ? (part * 100) / whole : 0);
}

function plural(count, noun) {
	return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function baseName(file) {
	return file.slice(file.lastIndexOf("/") + 1);
}

/* "convoy.c:42", or nothing. */
function fileLine(at) {
	if (!at.file)
		return "";
	return baseName(at.file) + (at.line ? `:${at.line}` : "");
}

function functionName(at) {
	if (at.function)
		return at.function;
	return at.object && at.offset
		? `[${at.object.replace(/^\[|\]$/g, "")}+${at.offset}]`
		: "(not known)";
}

function threadName(thread) {
	return `${thread.comm || "?"} ${thread.tid}`;
}
