/* SPDX-License-Identifier: GPL-2.0 */
/* What --counters asked for: in all, by NUMA node, and over time. */

const STRIP_HEIGHT = 58;
const STRIP_GAP = 10;

const overTime = report.counters_over_time || null;
const counterNames = list(report.counters)
	.filter((counter) => counter.count !== null)
	.map((counter) => counter.name);
const counterChart = { canvas: null, strip: 0, step: 0, from: null };

/* The lines of a strip: of each node, or of all CPUs where no node is known. */
function linesOfCounters() {
	const nodes = list(overTime && overTime.by_node);

	if (!nodes.length)
		return overTime ? [{ name: "all CPUs", row: overTime.in_all }] : [];
	return nodes.map((row) => ({
		name: row.node === null ? "unknown node" : `node ${row.node}`,
		row,
	}));
}

const counterLines = linesOfCounters();

/* One strip a counter, and one for the local part of loads from memory. */
function stripsOfCounters() {
	const strips = counterNames.map((name) => ({ name, counter: name }));

	if (overTime && list(overTime.in_all.local_percent).length)
		strips.push({ name: "local memory %", counter: null });
	return strips;
}

const counterStrips = stripsOfCounters();

function stepBegin(step) {
	return step ? number(overTime.end_s[step - 1]) * NS : 0;
}

function stepEnd(step) {
	return number(overTime.end_s[step]) * NS;
}

function stepAt(at) {
	let low = 0,
		high = list(overTime.end_s).length - 1;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (stepEnd(middle) > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What a strip shows of a line in a step: a second, or per cent; null: nothing is known. */
function valueIn(strip, line, step) {
	if (strip.counter === null) {
		const part = list(line.row.local_percent)[step];

		return Number.isFinite(part) ? part : null;
	}
	return (
		(number(list(line.row.counts[strip.counter])[step]) * NS) /
		Math.max(stepEnd(step) - stepBegin(step), 1)
	);
}

function highestOf(strip) {
	if (strip.counter === null)
		return 100;
	let most = 0;

	for (const line of counterLines)
		for (let step = 0; step < overTime.end_s.length; step++)
			most = Math.max(most, valueIn(strip, line, step));
	return most || 1;
}

/* "1.23M", as the text report has counts. */
function shortCount(value) {
	if (value < 9999.5)
		return value < 9.95 && value % 1 ? value.toFixed(1) : String(Math.round(value));
	let unit = -1;

	for (; value >= 999.5 && unit < 5; unit++)
		value /= 1000;
	return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)}${"kMGTPE"[unit]}`;
}

function colourOfLine(index) {
	return numbered((index + 1) % OKABE_ITO.length);
}

function drawCounterLine(draw, strip, index, left, room, y) {
	let before = null;

	draw.strokeStyle = colourOfLine(index);
	draw.lineWidth = 1.5;
	draw.beginPath();
	for (let step = 0; step < overTime.end_s.length; step++) {
		const value = valueIn(strip, counterLines[index], step);
		const from = left + (stepBegin(step) / lengthNs) * room;
		const to = left + (Math.min(stepEnd(step) / lengthNs, 1)) * room;

		if (value !== null) {
			if (before === null)
				draw.moveTo(from, y(value));
			else
				draw.lineTo(from, y(value));
			draw.lineTo(to, y(value));
		}
		before = value;
	}
	draw.stroke();
	draw.lineWidth = 1;
}

function drawCounterStrip(draw, strip, top, left, room) {
	const colours = themeColours(),
		most = highestOf(strip),
		bottom = top + STRIP_HEIGHT;
	const y = (value) => bottom - (Math.min(value / most, 1) * (STRIP_HEIGHT - 4));

	draw.fillStyle = colours.line;
	draw.fillRect(left, bottom, room, 1);
	for (let index = 0; index < counterLines.length; index++)
		drawCounterLine(draw, strip, index, left, room, y);
	draw.fillStyle = colours.ink;
	drawText(draw, strip.name, 4, top + 14, left - 8);
	draw.fillStyle = colours.faint;
	drawText(
		draw,
		strip.counter === null ? "0 to 100" : `up to ${shortCount(most)} a second`,
		4,
		top + 30,
		left - 8,
	);
}

/* What is not selected is dimmed, and the keyboard's step is marked. */
function drawCounterMarks(draw, left, room, height) {
	const colours = themeColours(),
		x = (at) => left + (Math.min(at / lengthNs, 1)) * room;

	draw.fillStyle = colours.ink;
	if (state.selection) {
		draw.globalAlpha = 0.14;
		draw.fillRect(left, 0, x(state.selection.begin) - left, height);
		draw.fillRect(x(state.selection.end), 0, left + room - x(state.selection.end), height);
		draw.globalAlpha = 1;
	}
	if (document.activeElement === counterChart.canvas) {
		const top = counterChart.strip * (STRIP_HEIGHT + STRIP_GAP);

		draw.fillRect(Math.round(x(stepBegin(counterChart.step))), top, 1, STRIP_HEIGHT);
	}
}

function drawCounters() {
	const canvas = counterChart.canvas,
		left = gutter();
	const all = counterStrips.length * (STRIP_HEIGHT + STRIP_GAP);
	const { draw, width } = sizeCanvas(canvas, all + AXIS);
	const room = width - left;

	counterStrips.forEach((strip, i) =>
		drawCounterStrip(draw, strip, i * (STRIP_HEIGHT + STRIP_GAP), left, room),
	);
	drawAxis(draw, left, room, all, 0, lengthNs);
	drawCounterMarks(draw, left, room, all);
	canvas.dataset.drawn = String(overTime.end_s.length * counterLines.length);
	canvas.dataset.strips = counterStrips.map((strip) => strip.name).join(",");
}

/* "at least " where something is missing by then; of a difference it may be more or less. */
function doubtInStep(row, counter, step) {
	const from = (row.incomplete_from_s || {})[counter];

	/* both are whole nanoseconds, but for what their product with NS is off */
	if (from === undefined || Math.round(from * NS) >= Math.round(stepEnd(step)))
		return "";
	return counter === "local-memory" ? "about " : "at least ";
}

function figureOfLine(strip, line, step) {
	const value = valueIn(strip, line, step);

	if (strip.counter === null)
		return `${line.name} ${value === null ? "no loads" : `${value.toFixed(1)} %`}`;
	const count = number(list(line.row.counts[strip.counter])[step]);

	return (
		`${line.name} ${doubtInStep(line.row, strip.counter, step)}` +
		`${count.toLocaleString("en")} (${shortCount(value)} a second)`
	);
}

function tipOfCounters(strip, step, x, y) {
	const whole = { name: "in all", row: overTime.in_all };
	const lines = counterLines.length > 1 ? [whole, ...counterLines] : counterLines;

	showTip(
		`${strip.name}, ${moment(stepBegin(step), lengthNs)} to ${moment(stepEnd(step), lengthNs)}: ` +
			lines.map((line) => figureOfLine(strip, line, step)).join(", "),
		x,
		y,
	);
}

function momentAt(x) {
	const left = gutter(),
		room = counterChart.canvas.clientWidth - left;

	return Math.min(Math.max((x - left) / room, 0), 1) * lengthNs;
}

function counterPointer(canvas) {
	canvas.addEventListener("pointerdown", (event) => {
		counterChart.from = momentAt(event.offsetX);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		const at = momentAt(event.offsetX),
			which = Math.floor(event.offsetY / (STRIP_HEIGHT + STRIP_GAP));

		if (counterStrips[which])
			tipOfCounters(counterStrips[which], stepAt(at), event.clientX, event.clientY);
		if (timeline && counterChart.from !== null &&
		    Math.abs(at - counterChart.from) > (lengthNs / canvas.clientWidth) * 3)
			select(counterChart.from, at);
	});
	canvas.addEventListener("pointerup", () => {
		counterChart.from = null;
	});
	canvas.addEventListener("pointerleave", hideTip);
}

/* Arrows move from step to step, and from counter to counter. */
function counterKeys(event) {
	if (event.metaKey || event.altKey || event.ctrlKey)
		return;
	const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0,
		down = { ArrowUp: -1, ArrowDown: 1 }[event.key] || 0;
	const box = counterChart.canvas.getBoundingClientRect();

	if (!along && !down)
		return;
	counterChart.step = Math.min(
		Math.max(counterChart.step + along, 0),
		overTime.end_s.length - 1,
	);
	counterChart.strip = Math.min(
		Math.max(counterChart.strip + down, 0),
		counterStrips.length - 1,
	);
	tipOfCounters(
		counterStrips[counterChart.strip],
		counterChart.step,
		box.left + gutter(),
		box.top + (counterChart.strip + 1) * (STRIP_HEIGHT + STRIP_GAP),
	);
	tell("view");
	event.preventDefault();
}

function showCounterChart(body) {
	const canvas = make("canvas", {
		tabindex: 0,
		role: "img",
		"aria-label": "Counters over time. Left and right move, up and down change the counter.",
	});

	counterChart.canvas = canvas;
	body.append(
		make("div", { class: "chart" }, canvas),
		make(
			"div",
			{ class: "legend" },
			counterLines.map((line, i) =>
				make("span", null, swatch(colourOfLine(i)), line.name),
			),
		),
	);
	counterPointer(canvas);
	canvas.addEventListener("keydown", counterKeys);
	for (const what of ["focus", "blur"])
		canvas.addEventListener(what, () => tell("view"));
	for (const what of ["view", "selection", "look"])
		on(what, drawCounters);
	drawCounters();
}

/* Whether there may be more, or it is about so many; @row: with the counters that are incomplete. */
function doubtOf(row, name) {
	if (!list(row.incomplete).includes(name))
		return "";
	return name === "local-memory" ? "~" : ">=";
}

/* A count, or what it is at least; @row: as of counters_by_node. */
function countCell(row, name) {
	return `${doubtOf(row, name)}${number(row.counts[name]).toLocaleString("en")}`;
}

function columnsOfCounters() {
	const figure = (title, of) => ({ title, figure: true, of });
	const nodes = list(report.counters_by_node);

	return [
		{ title: "counter", of: (row) => row.name },
		figure("in all", (row) =>
			(row.complete ? "" : row.name === "local-memory" ? "~" : ">=") +
			row.count.toLocaleString("en"),
		),
		figure("a second on CPUs", (row) =>
			row.per_second_on_cpus === null ? "-" : shortCount(row.per_second_on_cpus),
		),
		...nodes.map((node) =>
			figure(node.node === null ? "unknown node" : `node ${node.node}`, (row) =>
				countCell(node, row.name),
			),
		),
	];
}

function showCounters() {
	const body = bodyOf("counters"),
		counted = list(report.counters).filter((row) => row.count !== null);

	byId("counters").hidden = !list(report.counters).length;
	if (counted.length)
		putTable(body, columnsOfCounters(), counted, "Counters", counted.length);
	for (const node of list(report.counters_by_node))
		if (node.node !== null && node.local_percent !== null)
			body.append(
				note(
					`Of these loads from memory on node ${node.node} ` +
						`${node.local_percent.toFixed(1)} % were local to it.`,
				),
			);
	for (const row of list(report.counters))
		if (row.not_counted_why)
			body.append(note(`Not counted: ${row.name} (${row.not_counted_why}).`));
	if (counterStrips.length && overTime && list(overTime.end_s).length)
		showCounterChart(body);
	else if (counted.length)
		body.append(note("This recording does not tell of counters over time."));
}
