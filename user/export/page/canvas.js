/* SPDX-License-Identifier: GPL-2.0 */
/* What charts on a canvas have in common: size, axis of time, hatching, and the tip at the pointer. */

const GUTTER = 150; /* of names, left of each chart that has time from left to right */
const GUTTER_NARROW = 84;
const AXIS = 20;
const CHART_FONT = '11px system-ui, "DejaVu Sans", sans-serif';

function gutter() {
	return window.innerWidth < 700 ? GUTTER_NARROW : GUTTER;
}

/* Makes the canvas as sharp as the screen. Returns what draws in CSS pixels. */
function sizeCanvas(canvas, height) {
	const ratio = window.devicePixelRatio || 1;
	const width = Math.max(Math.floor(canvas.parentElement.clientWidth), 200);

	if (
		canvas.width !== Math.round(width * ratio) ||
		canvas.height !== Math.round(height * ratio)
	) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
	}
	const draw = canvas.getContext("2d");

	draw.setTransform(ratio, 0, 0, ratio, 0, 0);
	draw.font = CHART_FONT;
	draw.textBaseline = "middle";
	draw.fillStyle = themeColours().back;
	draw.fillRect(0, 0, width, height);
	return { draw, width, height };
}

/* A round step of time of which about @count are in @span. */
function tickStep(span, count) {
	const rough = span / Math.max(count, 1),
		power = 10 ** Math.floor(Math.log10(rough));

	return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function drawAxis(draw, left, width, y, begin, end) {
	const colours = themeColours(),
		step = tickStep(end - begin, width / 110);

	draw.fillStyle = colours.faint;
	draw.textAlign = "center";
	const first = Math.ceil(begin / step) * step;

	for (let i = 0, at = first; at <= end && i < 1000; at = first + ++i * step) {
		const x = left + ((at - begin) / (end - begin)) * width;
		const label = moment(at, step * 100);
		const half = draw.measureText(label).width / 2;

		draw.fillRect(Math.round(x), y, 1, 4);
		if (x - half >= left - 30 && x + half <= left + width)
			draw.fillText(label, x, y + 12);
	}
	draw.textAlign = "left";
}

function hatch(draw, colour) {
	const tile = document.createElement("canvas");

	tile.width = tile.height = 8;
	const pen = tile.getContext("2d");

	pen.strokeStyle = colour;
	pen.lineWidth = 1.5;
	pen.beginPath();
	for (const from of [-8, 0, 8]) {
		pen.moveTo(from, 8);
		pen.lineTo(from + 8, 0);
	}
	pen.stroke();
	return draw.createPattern(tile, "repeat");
}

/* Text that is cut where the room ends. */
function drawText(draw, text, x, y, room) {
	let shown = text;

	if (draw.measureText(shown).width > room) {
		const fits = Math.max(
			Math.floor(
				(room / Math.max(draw.measureText(text).width, 1)) * text.length,
			) - 1,
			0,
		);

		shown = fits ? `${text.slice(0, fits)}…` : "";
	}
	draw.fillText(shown, x, y);
}

function showTip(text, x, y) {
	const tip = byId("tip");

	tip.textContent = text;
	tip.hidden = false;
	const box = tip.getBoundingClientRect();

	tip.style.left = `${Math.max(Math.min(x + 14, window.innerWidth - box.width - 8), 4)}px`;
	tip.style.top = `${y + 18 + box.height > window.innerHeight ? Math.max(y - box.height - 10, 4) : y + 18}px`;
}

function hideTip() {
	byId("tip").hidden = true;
}
