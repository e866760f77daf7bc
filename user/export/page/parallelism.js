/* SPDX-License-Identifier: GPL-2.0 */
/* Parallelism over the whole run, where a drag or the keys select a stretch of time. */

const OVERVIEW_HEIGHT = 132;
const FEW_STRIP = 10;

const overview = { canvas: null, cursor: 0, anchor: null };

function overviewX(x) {
	const left = gutter(),
		width = overview.canvas.clientWidth - left;

	return Math.min(Math.max((x - left) / width, 0), 1) * lengthNs;
}

/* Whether the file says how many threads were active; of several targets it does not. */
function hasActive() {
	return Boolean(timeline.parallelism) && list(timeline.parallelism.active).length > 0;
}

/* CPUs that ran threads of the recording, on average. */
function busyCpus(begin, end) {
	return sumOf(cpuRows, (row) => busyUntil(row, end) - busyUntil(row, begin)) / (end - begin);
}

function activeBetween(begin, end) {
	if (!hasActive())
		return busyCpus(begin, end);
	return averageOfSteps(timeline.parallelism.active, begin, end) || 0;
}

function fewBetween(begin, end) {
	if (!hasActive())
		return 0;
	return averageOfSteps(list(timeline.parallelism.critical), begin, end) || 0;
}

/* A figure for the time under each pixel. */
function byPixel(of, pixels) {
	const found = new Float64Array(pixels);

	for (let x = 0; x < pixels; x++)
		found[x] = of((x / pixels) * lengthNs, ((x + 1) / pixels) * lengthNs);
	return found;
}

function drawParallelism() {
	const left = gutter(),
		colours = themeColours();
	const { draw, width, height } = sizeCanvas(overview.canvas, OVERVIEW_HEIGHT);
	const room = width - left,
		bottom = height - AXIS - FEW_STRIP - 2;
	const active = byPixel(activeBetween, room);
	const few = byPixel(fewBetween, room);
	const top = Math.max(report.cpus, ...active, 1),
		y = (value) => bottom - (value / top) * (bottom - 8);

	draw.fillStyle = numbered(1);
	draw.globalAlpha = 0.75;
	for (let x = 0; x < room; x++)
		draw.fillRect(left + x, y(active[x]), 1, bottom - y(active[x]));
	draw.fillStyle = colours.hot;
	for (let x = 0; x < room; x++) {
		draw.globalAlpha = Math.min(Math.max(few[x], 0), 1);
		if (few[x] > 0)
			draw.fillRect(left + x, bottom + 2, 1, FEW_STRIP);
	}
	draw.globalAlpha = 1;
	drawLevels(draw, left, width, y);
	drawAxis(draw, left, room, height - AXIS, 0, lengthNs);
	drawText(draw, hasActive() ? "few active" : "", 4, bottom + 2 + FEW_STRIP / 2, left - 8);
	hatchLost(draw, left, room, 0, bottom, 0, lengthNs);
	drawMarks(draw, left, room, height - AXIS);
	overview.canvas.dataset.drawn = String(room);
}

function drawLevels(draw, left, width, y) {
	const colours = themeColours();
	const level = (value, text, colour) => {
		draw.fillStyle = colour;
		draw.fillRect(left, Math.round(y(value)), width - left, 1);
		draw.fillStyle = colour === colours.line ? colours.faint : colour;
		drawText(draw, text, 4, y(value), left - 8);
	};

	level(0, "", colours.line);
	if (hasActive() && report.n_min_most > 0 && report.n_min_most < report.cpus)
		level(report.n_min_most, `N_min ${report.n_min_most}`, colours.hot);
	level(report.cpus, plural(report.cpus, "CPU"), colours.line);
}

/* The selection, what the timelines below show, and the cursor of the keyboard. */
function drawMarks(draw, left, room, bottom) {
	const colours = themeColours(),
		x = (at) => left + (at / lengthNs) * room;

	if (state.selection) {
		draw.fillStyle = colours.ink;
		draw.globalAlpha = 0.14;
		draw.fillRect(left, 0, x(state.selection.begin) - left, bottom);
		draw.fillRect(
			x(state.selection.end),
			0,
			left + room - x(state.selection.end),
			bottom,
		);
		draw.globalAlpha = 1;
		draw.strokeStyle = colours.ink;
		draw.strokeRect(
			x(state.selection.begin) + 0.5,
			0.5,
			Math.max(x(state.selection.end) - x(state.selection.begin), 1),
			bottom - 1,
		);
	}
	if (state.end - state.begin < lengthNs) {
		draw.fillStyle = colours.ink;
		draw.fillRect(
			x(state.begin),
			bottom - 2,
			Math.max(((state.end - state.begin) / lengthNs) * room, 2),
			3,
		);
	}
	if (document.activeElement === overview.canvas) {
		draw.fillStyle = colours.ink;
		draw.fillRect(Math.round(x(overview.cursor)), 0, 1, bottom);
	}
}

function hatchLost(draw, left, room, top, bottom, begin, end) {
	const pattern = hatch(draw, themeColours().faint);

	for (const [from, to] of list(timeline.lost)) {
		const x = Math.max((from - begin) / (end - begin), 0),
			right = Math.min((to - begin) / (end - begin), 1);

		if (right < 0 || x > 1)
			continue;
		draw.fillStyle = pattern;
		draw.fillRect(left + x * room, top, Math.max((right - x) * room, 2), bottom - top);
	}
}

function tipOfOverview(at, x, y) {
	const step = (hasActive() && timeline.parallelism.step_ns) || lengthNs / 1000,
		end = Math.min(at + step, lengthNs);
	const from = Math.min(at, end - 1);
	const active = activeBetween(from, end).toFixed(1);

	showTip(
		`at ${moment(at, lengthNs)}: ` +
			(hasActive()
				? `${active} active on average, few active for ` +
					`${percent(fewBetween(from, end) * 100)} of ${shortTime(step)}`
				: `${active} CPUs ran threads of the recording`),
		x,
		y,
	);
}

function overviewPointer(canvas) {
	let from = null;

	canvas.addEventListener("pointerdown", (event) => {
		from = overviewX(event.offsetX);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		const at = overviewX(event.offsetX);

		tipOfOverview(at, event.clientX, event.clientY);
		if (from !== null && Math.abs(at - from) > (lengthNs / canvas.clientWidth) * 3)
			select(from, at);
	});
	canvas.addEventListener("pointerup", (event) => {
		if (
			from !== null &&
			Math.abs(overviewX(event.offsetX) - from) <=
				(lengthNs / canvas.clientWidth) * 3
		) {
			select(0, 0);
			setView(0, lengthNs);
		} else {
			viewSelection();
		}
		overview.cursor = overviewX(event.offsetX);
		from = null;
	});
	canvas.addEventListener("pointerleave", hideTip);
}

/* Arrows move the cursor, with Shift they select, Enter shows the selection. */
function overviewKeys(event) {
	if (event.metaKey || event.altKey)
		return;
	const step = lengthNs / (event.ctrlKey ? 400 : 50);
	const by = { ArrowLeft: -step, ArrowRight: step }[event.key];

	if (event.key === "Enter") {
		viewSelection();
	} else if (by) {
		if (!event.shiftKey)
			overview.anchor = null;
		else if (overview.anchor === null)
			overview.anchor = overview.cursor;
		overview.cursor = Math.min(Math.max(overview.cursor + by, 0), lengthNs);
		if (event.shiftKey)
			select(overview.anchor, overview.cursor);
		tipOfOverview(
			overview.cursor,
			overview.canvas.getBoundingClientRect().left + gutter(),
			overview.canvas.getBoundingClientRect().bottom,
		);
		tell("view");
	} else {
		return;
	}
	event.preventDefault();
}

function showParallelism() {
	const body = bodyOf("parallelism");

	if (!timeline || !cpuRows.length) {
		body.append(
			note(
				timeline
					? "No record tells of a thread that ran."
					: "The recording has no records, so it does not tell when which thread ran. Record with " +
					"--level trace --records for this and for the timelines of cores and threads.",
			),
		);
		document.querySelector("#parallelism .hint").hidden = true;
		return;
	}
	const canvas = make("canvas", {
		tabindex: 0,
		role: "img",
		"aria-label":
			`${hasActive() ? "Active threads" : "CPUs in use"} over time. ` +
			"Arrows move, Shift and arrows select, Enter zooms to the selection.",
	});

	if (!hasActive()) {
		document.querySelector("#parallelism h2").textContent = "CPUs in use over time";
		body.append(
			note(
				withTargets
					? "Each process has its own number of active threads; this is how many " +
							"CPUs ran threads of all of them."
					: "The records do not tell how many threads were active: this is how many " +
							"CPUs ran threads that have records.",
			),
		);
	}
	if (hasActive() && number(report.n_min_least) < number(report.n_min_most))
		body.append(
			note(
				`Few active are at most N_min = ${report.n_min_most} threads here; in the report N_min was lower ` +
					`for ${time(wallNs - number(report.n_min_most_s) * 1e9)} of the run.`,
			),
		);
	overview.canvas = canvas;
	body.append(make("div", { class: "chart" }, canvas));
	overviewPointer(canvas);
	canvas.addEventListener("keydown", overviewKeys);
	for (const what of ["focus", "blur"])
		canvas.addEventListener(what, () => tell("view"));
	for (const what of ["view", "selection", "look"])
		on(what, drawParallelism);
	drawParallelism();
}
