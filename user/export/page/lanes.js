/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cores and threads over time. What is drawn in one frame is bounded by the screen, not by the
 * recording: stays that share a pixel are one box, found by binary search.
 */

const ROW = 20;
const BAND = 5; /* height of a level of sections, above a thread's stays */
const STRIP = 9; /* height of the row that marks where a program stood still */
const LOOKED_AT = 16; /* stays of a pixel of which the longest gives the colour */
const LABEL_FROM = 36; /* pixels of a box with its name in it */

/**
 * A chart of rows over time.
 * kind: "cpu" or "thread"; rows: decoded; names: of the rows; canvas, scroller: its elements;
 * row: the one that the keyboard is in; arrows: wake-ups, path: parts of the critical path, marks:
 * flags of marks in the last frame; left, scale: where the
 * view begins, and pixels a nanosecond
 */
function makeLanes(kind, rows, names) {
	return {
		kind,
		rows,
		names,
		canvas: null,
		scroller: null,
		row: -1,
		stay: -1,
		arrows: 0,
		strips: 0,
		path: 0,
		marks: 0,
		left: 0,
		scale: 0,
	};
}

function lanesTop(lanes) {
	return lanes.strips * STRIP;
}

/* Height of the sections in each row. */
function bandOf(lanes) {
	return lanes.kind === "thread" && overlays.sections ? sectionLevels * BAND : 0;
}

function rowHeight(lanes) {
	return ROW + bandOf(lanes);
}

function threadOfStay(lanes, row, i) {
	return lanes.kind === "cpu" ? lanes.rows[row].who[i] : row;
}

function validThread(thread) {
	return thread >= 0 && thread < list(timeline.threads).length ? thread : -1;
}

function colourOfStay(lanes, row, i) {
	const place = lanes.rows[row].place[i];

	return numbered(
		MODES[state.mode].of({
			thread: validThread(threadOfStay(lanes, row, i)),
			place,
			at: Math.max(lanes.rows[row].begin[i], state.begin),
		}),
	);
}

/* Boxes by colour: canvas is slow where colours alternate. */
class Boxes {
	constructor() {
		this.styles = new Map();
		this.count = 0;
	}

	add(colour, alpha, x, y, width, height) {
		const key = `${alpha}|${colour}`;
		let boxes = this.styles.get(key);

		if (!boxes)
			this.styles.set(key, (boxes = { colour, alpha, at: [] }));
		boxes.at.push(x, y, width, height);
		this.count++;
	}

	paint(draw) {
		for (const { colour, alpha, at } of this.styles.values()) {
			draw.fillStyle = colour;
			draw.globalAlpha = alpha;
			for (let i = 0; i < at.length; i += 4)
				draw.fillRect(at[i], at[i + 1], at[i + 2], at[i + 3]);
		}
		draw.globalAlpha = 1;
	}
}

/* What ran, coloured by section: a stay may be in several. */
function addSections(lanes, boxes, row, i, alpha, x, y, width) {
	const thread = validThread(threadOfStay(lanes, row, i)),
		end = x + width;
	let at = Math.max(lanes.rows[row].begin[i], state.begin);

	for (let from = x; from < end;) {
		const { section, until } = sectionAt(thread, at);
		const change = lanes.left + (until - state.begin) * lanes.scale;
		const to = Math.min(Math.max(change, from + 1), end);

		boxes.add(numbered(section), alpha, from, y, to - from, ROW - 4);
		at = Math.max(until, state.begin + (to - lanes.left) / lanes.scale);
		from = to;
	}
}

function addRun(lanes, boxes, row, i, alpha, x, y, width) {
	if (state.mode === "section")
		addSections(lanes, boxes, row, i, alpha, x, y, width);
	else
		boxes.add(colourOfStay(lanes, row, i), alpha, x, y, width, ROW - 4);
}

/* Running is as high as the row, waiting for a CPU half, other waiting a thin line. */
function addStay(lanes, boxes, row, i, x, width, y) {
	const stays = lanes.rows[row],
		kind = stays.kind[i],
		inner = ROW - 4;

	if (kind === RAN)
		addRun(lanes, boxes, row, i, 1, x, y + 2, width);
	else if (kind === MOSTLY_RAN)
		addRun(lanes, boxes, row, i, 0.65, x, y + 2, width);
	else if (kind === SPUN)
		boxes.add(REASON_COLOURS.spin, 0.8, x, y + 7, width, inner - 5);
	else if (kind === READY)
		boxes.add(READY_COLOUR, 1, x, y + 2 + inner / 2, width, inner / 2);
	else if (kind === WAITED)
		boxes.add(reasonColour(stays.who[i]), 0.9, x, y + inner - 2, width, 4);
	else if (kind === MOSTLY_NOT)
		boxes.add(REST, 0.6, x, y + inner - 2, width, 4);
	else
		boxes.add(REST, 0.35, x, y + 2, width, inner);
}

/* One box for stays @from up to @to of a pixel: as solid as the part of it with a thread on the CPU. */
function addPixel(lanes, boxes, row, from, to, x, y, part) {
	const stays = lanes.rows[row],
		step = Math.max(Math.floor((to - from) / LOOKED_AT), 1);
	let longest = -1,
		length = -1;

	for (let i = from; i < to; i += step) {
		const own =
			(stays.end[i] - stays.begin[i]) *
			(isBusy(stays.kind[i]) === part > 0 ? 1 : 1e-9);

		if (own > length) {
			length = own;
			longest = i;
		}
	}
	if (!(part > 0)) {
		addStay(lanes, boxes, row, longest, x, 1, y);
		return;
	}
	const colour =
		stays.kind[longest] === SPUN
			? REASON_COLOURS.spin
			: colourOfStay(lanes, row, longest);

	boxes.add(colour, Math.max(Math.ceil(part * 5), 1) / 5, x, y + 2, 1, ROW - 4);
}

function drawRow(lanes, boxes, labels, row, y, left, room) {
	const stays = lanes.rows[row],
		scale = room / (state.end - state.begin);
	const x = (at) => (at - state.begin) * scale;
	let i = firstAbove(stays.end, state.begin, 0, stays.count);

	while (i < stays.count && stays.begin[i] < state.end) {
		const from = Math.max(x(stays.begin[i]), 0),
			to = Math.min(x(stays.end[i]), room);

		if (to - from >= 1) {
			addStay(lanes, boxes, row, i, left + from, to - from, y);
			if (to - from >= LABEL_FROM && stays.kind[i] === RAN)
				labels.push({ row, i, x: left + from, y, width: to - from });
			i++;
			continue;
		}
		const pixel = Math.floor(from),
			begin = state.begin + pixel / scale,
			end = state.begin + (pixel + 1) / scale;
		const next = firstAbove(stays.begin, end, i, stays.count);
		const part = (busyUntil(stays, end) - busyUntil(stays, begin)) * scale;

		addPixel(lanes, boxes, row, i, next, left + pixel, y, Math.min(part, 1));
		/* the last one may reach far beyond this pixel */
		i =
			next - 1 > i && x(stays.end[next - 1]) - x(stays.begin[next - 1]) >= 1
				? next - 1
				: next;
	}
}

function labelOfStay(lanes, row, i) {
	const place = placeOfTimeline(lanes.rows[row].place[i]);
	const thread = validThread(threadOfStay(lanes, row, i));
	const code = place ? functionName(place) : "";

	if (lanes.kind === "thread" || thread < 0)
		return code;
	const own = timeline.threads[thread];

	return `${own.comm || "?"} ${own.tid}${code ? `: ${code}` : ""}`;
}

function drawLabels(lanes, draw, labels) {
	for (const { row, i, x, y, width } of labels) {
		const colour = colourOfStay(lanes, row, i);

		draw.fillStyle =
			colour === "#0072B2" || colour === "#D55E00" || colour === "#009E73"
				? "#fff"
				: "#111";
		drawText(draw, labelOfStay(lanes, row, i), x + 4, y + ROW / 2, width - 8);
	}
}

function drawNames(lanes, draw, first, last, left, width) {
	const colours = themeColours(),
		height = rowHeight(lanes);

	draw.fillStyle = colours.back;
	draw.fillRect(0, 0, left - 1, lanes.canvas.clientHeight);
	for (let row = first; row < last; row++) {
		const y = lanesTop(lanes) + row * height - lanes.scroller.scrollTop;

		draw.fillStyle = colours.line;
		draw.globalAlpha = 0.6;
		draw.fillRect(0, y + height - 1, width, 1);
		draw.globalAlpha = 1;
		draw.fillStyle = row === lanes.row ? colours.hot : colours.ink;
		drawText(draw, lanes.names[row], 4, y + height / 2, left - 10);
	}
}

function lanesHeight(lanes) {
	return lanesTop(lanes) + lanes.rows.length * rowHeight(lanes) + AXIS;
}

function drawLanes(lanes) {
	const left = gutter(),
		full = lanesHeight(lanes);
	const most = Math.max(Math.floor(window.innerHeight * 0.62), 160);
	const printing = document.documentElement.classList.contains("printing");
	const shown = Math.min(full, printing ? Math.max(most, 700) : most);

	lanes.scroller.style.height = `${shown}px`;
	lanes.scroller.firstElementChild.style.height = `${full}px`;
	const { draw, width, height } = sizeCanvas(lanes.canvas, shown);
	const top = lanesTop(lanes),
		scroll = lanes.scroller.scrollTop,
		room = width - left,
		high = rowHeight(lanes),
		band = bandOf(lanes);
	const first = Math.max(Math.floor((scroll - top) / high), 0);
	const last = Math.min(Math.ceil((scroll + height - AXIS - top) / high), lanes.rows.length);
	const boxes = new Boxes(),
		labels = [];

	Object.assign(lanes, { left, scale: room / (state.end - state.begin) });
	drawNames(lanes, draw, first, last, left, width);
	draw.save();
	draw.beginPath();
	draw.rect(left, 0, room, height - AXIS);
	draw.clip();
	for (let row = first; row < last; row++)
		drawRow(lanes, boxes, labels, row, top + row * high + band - scroll, left, room);
	boxes.paint(draw);
	drawLabels(lanes, draw, labels);
	const bands = drawOverlays(lanes, draw, {
		left,
		room,
		first,
		last,
		scroll,
		bottom: height - AXIS,
		top,
		high,
		band,
	});

	draw.restore();
	drawStripNames(lanes, draw, left, scroll);
	draw.fillStyle = themeColours().back;
	draw.fillRect(0, height - AXIS, width, AXIS);
	drawAxis(draw, left, room, height - AXIS, state.begin, state.end);
	Object.assign(lanes.canvas.dataset, {
		drawn: boxes.count,
		rows: last - first,
		pixels: room,
		begin: state.begin,
		end: state.end,
		arrows: lanes.arrows,
		sections: bands,
		path: overlays.path ? lanes.path : 0,
		marks: overlays.marks ? lanes.marks : 0,
		high,
	});
}
