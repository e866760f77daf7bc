/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lies over the rows of the timelines: where a program stood still, lost ranges, sections,
 * marks, the critical path, wake-ups, the selection.
 */

const ARROWS_AT_MOST = 250;
const HOPS_FROM = 8; /* pixels of a part on average, from which on its hops are drawn */
const overlays = { path: true, wakes: true, sections: true, marks: true };

function timeToX(box, at) {
	return box.left + ((at - state.begin) / (state.end - state.begin)) * box.room;
}

/* Where the stays of a row begin, below its sections. */
function rowY(box, row) {
	return box.top + row * box.high + box.band - box.scroll;
}

/* Returns how many boxes sections have. */
function drawOverlays(lanes, draw, box) {
	const bands = box.band ? drawSections(draw, box) : 0;

	hatchLost(draw, box.left, box.room, 0, box.bottom, state.begin, state.end);
	drawStopped(lanes, draw, box);
	if (overlays.path)
		drawPath(lanes, draw, box);
	if (overlays.wakes && lanes.kind === "thread")
		drawWakes(lanes, draw, box);
	if (overlays.marks && lanes.kind === "thread")
		drawFlags(lanes, draw, box);
	if (state.selection)
		drawSelection(draw, box);
	drawCursor(lanes, draw, box);
	return bands;
}

/* Sections of a thread, above what it did: the outermost ones at the top. */
function drawSections(draw, box) {
	const boxes = new Boxes();

	for (let row = box.first; row < box.last; row++) {
		const depths = sectionsOfThread.get(row) || [];

		for (let depth = 0; depth < depths.length; depth++) {
			const level = Math.min(depth, sectionLevels - 1);

			addBand(boxes, box, depths[depth], rowY(box, row) - box.band + level * BAND);
		}
	}
	boxes.paint(draw);
	return boxes.count;
}

/* Boxes of a pixel at least; wide ones have a gap behind them. */
function addBand(boxes, box, own, y) {
	const count = own.begin.length,
		scale = box.room / (state.end - state.begin);
	let i = firstAbove(own.end, state.begin, 0, count);

	while (i < count && own.begin[i] < state.end) {
		const x = Math.max(timeToX(box, own.begin[i]), box.left);
		const right = Math.min(timeToX(box, own.end[i]), box.left + box.room);
		const width = Math.max(right - x > 3 ? right - x - 1 : right - x, 1);

		boxes.add(numbered(own.name[i]), 1, x, y + 1, width, BAND - 1);
		/* what ends in a pixel that is drawn already is passed over at once */
		i =
			right - x >= 1
				? i + 1
				: firstAbove(
						own.end,
						Math.max(
							state.begin + (x + 1 - box.left) / scale,
							own.end[i],
						),
						i,
						count,
					);
	}
}

/* A strip for each program, dark where all of its threads waited at once. */
function drawStopped(lanes, draw, box) {
	for (let program = 0; program < lanes.strips; program++) {
		const times = stoppedByProgram[program],
			y = program * STRIP - box.scroll + 1;
		let drawnTo = -1;

		draw.fillStyle = themeColours().panel;
		draw.fillRect(box.left, y, box.room, STRIP - 2);
		draw.fillStyle = lanes.strips > 1 ? numbered(program) : themeColours().ink;
		for (
			let i = firstStopped(times, state.begin);
			i < times.length && times[i] < state.end;
			i += 2
		) {
			const x = Math.max(timeToX(box, times[i]), drawnTo);
			const right = Math.max(timeToX(box, times[i + 1]), x + 1);

			if (right <= drawnTo)
				continue;
			draw.fillRect(x, y, right - x, STRIP - 2);
			drawnTo = Math.ceil(right);
			/* what ends in a pixel that is drawn already is passed over at once */
			if (right - x <= 1)
				i =
					firstStopped(
						times,
						state.begin +
							((drawnTo - box.left) / box.room) *
								(state.end - state.begin),
					) - 2;
		}
	}
}

/* Index of the first pair that ends behind @at. */
function firstStopped(times, at) {
	let low = 0,
		high = times.length / 2;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (times[middle * 2 + 1] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low * 2;
}

function drawStripNames(lanes, draw, left, scroll) {
	for (let program = 0; program < lanes.strips; program++) {
		draw.fillStyle = themeColours().faint;
		draw.font = '9px system-ui, "DejaVu Sans", sans-serif';
		drawText(
			draw,
			`all stopped: ${timeline.programs[program].name || "?"}`,
			4,
			program * STRIP - scroll + STRIP / 2,
			left - 8,
		);
	}
	draw.font = CHART_FONT;
}

/* Row in which a part of the critical path is: of its thread, or of the CPU on which it ran. */
function rowOfPart(lanes, at) {
	const thread = criticalPath[at + 2],
		row = threadRows[thread];

	if (lanes.kind === "thread" || !row)
		return row ? thread : -1;
	const i = stayAt(row, (criticalPath[at] + criticalPath[at + 1]) / 2);

	return i >= 0 && isBusy(row.kind[i]) ? row.who[i] : -1;
}

function drawPath(lanes, draw, box) {
	const from = firstPart(state.begin),
		to = firstPart(state.end) + PATH_FIELDS;
	lanes.path = 0;
	const parts = Math.max((Math.min(to, criticalPath.length) - from) / PATH_FIELDS, 1);
	const scale = box.room / (state.end - state.begin);
	let before = -1;

	const hops = lanes.kind === "thread" && box.room / parts >= HOPS_FROM;

	draw.strokeStyle = themeColours().path;
	draw.lineWidth = 2;
	draw.globalAlpha =
		hops || (lanes.kind === "cpu" && box.room / parts >= HOPS_FROM) ? 1 : 0.7;
	draw.beginPath();
	for (let at = from; at < to && at + PATH_FIELDS <= criticalPath.length; ) {
		const row = rowOfPart(lanes, at);
		const x = timeToX(box, criticalPath[at]),
			right = timeToX(box, criticalPath[at + 1]);

		/* of the parts that share a pixel one is drawn; a wide one always */
		if (right - x < 1)
			at = Math.max(
				firstPart(state.begin + (x + 1 - box.left) / scale),
				at + PATH_FIELDS,
			);
		else
			at += PATH_FIELDS;
		if (row < 0) {
			before = -1;
			continue;
		}
		const y = rowY(box, row) + 2;

		if (before >= 0 && before !== row && hops)
			draw.lineTo(x, y);
		else
			draw.moveTo(x, y);
		draw.lineTo(Math.max(right, x + 0.5), y);
		before = row;
		lanes.path++;
	}
	draw.stroke();
	draw.lineWidth = 1;
	draw.globalAlpha = 1;
}

function visibleWakes() {
	const from = firstAbove(wakes.at, state.begin - 1, 0, wakes.count);

	return { from, to: firstAbove(wakes.at, state.end, from, wakes.count) };
}

/* Arrows from the waker to the thread, once they are few enough to be told apart. */
function drawWakes(lanes, draw, box) {
	const { from, to } = visibleWakes(),
		colours = themeColours();

	lanes.arrows = 0;
	if (to - from > ARROWS_AT_MOST)
		return;
	draw.strokeStyle = draw.fillStyle = colours.wake;
	draw.globalAlpha = 0.75;
	for (let i = from; i < to; i++) {
		const x = timeToX(box, wakes.at[i]),
			y = rowY(box, wakes.to[i]) + ROW / 2;

		if (validThread(wakes.to[i]) < 0)
			continue;
		const known = validThread(wakes.from[i]) >= 0;
		const fromY = known ? rowY(box, wakes.from[i]) + ROW / 2 : y - ROW * 0.7;
		const tip = y > fromY ? -5 : 5;

		draw.beginPath();
		draw.setLineDash(known ? [] : [2, 2]);
		draw.moveTo(x, fromY);
		draw.lineTo(x, y + tip);
		draw.stroke();
		draw.setLineDash([]);
		draw.beginPath();
		draw.moveTo(x, y);
		draw.lineTo(x - 3, y + tip);
		draw.lineTo(x + 3, y + tip);
		draw.fill();
		lanes.arrows++;
	}
	draw.globalAlpha = 1;
}

/* A flag for each mark at the top of its thread's stays; of those that share a pixel one. */
function drawFlags(lanes, draw, box) {
	const scale = box.room / (state.end - state.begin);

	lanes.marks = 0;
	draw.fillStyle = draw.strokeStyle = themeColours().ink;
	for (let row = box.first; row < box.last; row++) {
		const own = marksOfThread.get(row),
			y = rowY(box, row);

		if (!own)
			continue;
		const count = own.at.length;

		for (let i = firstAbove(own.at, state.begin - 1, 0, count); i < count;) {
			const x = timeToX(box, own.at[i]);

			if (own.at[i] >= state.end)
				break;
			draw.fillRect(x, y, 1, ROW - 2);
			draw.beginPath();
			draw.moveTo(x, y);
			draw.lineTo(x + 6, y + 3);
			draw.lineTo(x, y + 6);
			draw.fill();
			lanes.marks++;
			i = firstAbove(own.at, state.begin + (x + 1 - box.left) / scale, i + 1, count);
		}
	}
}

function drawSelection(draw, box) {
	const x = timeToX(box, state.selection.begin),
		right = timeToX(box, state.selection.end);

	draw.fillStyle = themeColours().ink;
	draw.globalAlpha = 0.12;
	draw.fillRect(box.left, 0, Math.max(x - box.left, 0), box.bottom);
	draw.fillRect(right, 0, Math.max(box.left + box.room - right, 0), box.bottom);
	draw.globalAlpha = 1;
}

/* The stay that the keyboard is at. */
function drawCursor(lanes, draw, box) {
	const stays = lanes.rows[lanes.row];

	if (!stays || lanes.stay < 0 || lanes.stay >= stays.count)
		return;
	const x = timeToX(box, stays.begin[lanes.stay]),
		right = timeToX(box, stays.end[lanes.stay]);

	draw.strokeStyle = themeColours().ink;
	draw.lineWidth = 2;
	draw.strokeRect(x, rowY(box, lanes.row) + 1, Math.max(right - x, 2), ROW - 3);
	draw.lineWidth = 1;
}
