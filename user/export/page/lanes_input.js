/* SPDX-License-Identifier: GPL-2.0 */
/* Pointer, wheel and keyboard in the timelines, and what they say of a stay. */

const WHEEL_FACTOR = 1.25;

function lanesTime(lanes, x) {
	const left = gutter(),
		room = lanes.canvas.clientWidth - left;

	return state.begin + ((x - left) / room) * (state.end - state.begin);
}

function lanesRow(lanes, y) {
	const row = Math.floor(
		(y + lanes.scroller.scrollTop - lanesTop(lanes)) / rowHeight(lanes),
	);

	return row >= 0 && row < lanes.rows.length && y < lanes.canvas.clientHeight - AXIS
		? row
		: -1;
}

const KIND_WORDS = [
	"ran",
	"spun in a busy-wait loop",
	"was ready, without a CPU",
	"waited",
	"not known",
	"several stays, merged: mostly ran",
	"several stays, merged: mostly did not run",
];

function whoOfStay(lanes, row, i) {
	const stays = lanes.rows[row],
		who = stays.who[i];

	if (lanes.kind === "cpu")
		return validThread(who) >= 0 ? threadName(timeline.threads[who]) : "";
	if (isBusy(stays.kind[i]) && timeline.cpus[who])
		return `on CPU ${timeline.cpus[who].cpu}`;
	return stays.kind[i] === WAITED
		? `for ${timeline.reasons[who] || "what is not known"}`
		: "";
}

/* Who woke the thread of a stay, if the stay began with a wake-up. */
function wakerOfStay(lanes, row, i) {
	const stays = lanes.rows[row],
		thread = validThread(threadOfStay(lanes, row, i));

	if (thread < 0 || stays.kind[i] === WAITED || stays.kind[i] === UNKNOWN)
		return "";
	const own = threadRows[thread],
		at = stayAt(own, stays.begin[i]);
	let first = at;

	while (
		first > 0 &&
		own.kind[first - 1] === READY &&
		own.end[first - 1] === own.begin[first]
	)
		first--;
	if (
		first < 0 ||
		(first > 0 &&
			own.kind[first - 1] === RAN &&
			own.end[first - 1] === own.begin[first])
	)
		return "";
	const found = wakeOf(thread, own.begin[first] - 1, own.end[at]);

	return found < 0 ? "" : `woken by ${wakerName(wakes.from[found])}`;
}

/* The section of a row at a height; null: the height is that of the stays, or there is none. */
function sectionUnder(lanes, row, y, at) {
	const within =
		(y + lanes.scroller.scrollTop - lanesTop(lanes)) % rowHeight(lanes);
	const level = Math.floor(within / BAND),
		depths = sectionsOfThread.get(row) || [];

	if (within >= bandOf(lanes))
		return null;
	/* the last level has all that are within more */
	for (let depth = level < sectionLevels - 1 ? level : depths.length - 1; depth >= level; depth--) {
		const own = depths[depth],
			i = own ? firstAbove(own.end, at, 0, own.end.length) : 0;

		if (own && i < own.end.length && own.begin[i] <= at)
			return { own, i };
	}
	return null;
}

function aboutSection(lanes, row, { own, i }) {
	const merged =
		own.sections[i] > 1
			? `\n${plural(own.sections[i], "section")}, merged: ${shortTime(own.ns[i])} in them`
			: "";

	return (
		`${lanes.names[row]}: section ${sectionName(own.name[i])}\n` +
		`${shortTime(own.end[i] - own.begin[i])}, from ` +
		`${moment(own.begin[i], state.end - state.begin)}${merged}`
	);
}

/* @at: the moment whose section is told. */
function aboutStay(lanes, row, i, at) {
	const stays = lanes.rows[row],
		span = state.end - state.begin;
	const place = placeOfTimeline(stays.place[i]);
	const lines = [
		`${lanes.names[row]}: ${KIND_WORDS[stays.kind[i]]} ${whoOfStay(lanes, row, i)}`.trim(),
		`${shortTime(stays.end[i] - stays.begin[i])}, from ${moment(stays.begin[i], span)}`,
	];

	if (place)
		lines.push(
			`in ${functionName(place)} ${fileLine(place) || place.object || ""}`.trim(),
		);
	const thread = validThread(threadOfStay(lanes, row, i));

	if (sectionNames.length && thread >= 0) {
		const { section, own } = sectionAt(thread, at);

		lines.push(
			section === NO_SECTION
				? "in no section"
				: `section ${sectionName(section)}${own ? "" : " of the process"}`,
		);
	}
	const path = onPath(thread, at);

	if (path)
		lines.push(`on the critical path: ${path}`);
	const waker = wakerOfStay(lanes, row, i);

	if (waker)
		lines.push(waker);
	return lines.join("\n");
}

const MARK_NEAR = 7; /* pixels left of the pointer: as wide as a flag */

/* Marks whose flags the pointer is at. */
function marksUnder(lanes, row, at) {
	const near = MARK_NEAR / lanes.scale;

	return lanes.kind === "thread" && overlays.marks
		? tellMarks(row, at - near, at + 1 / lanes.scale)
		: [];
}

function tipOfLanes(lanes, event) {
	const at = lanesTime(lanes, event.offsetX),
		row = lanesRow(lanes, event.offsetY);
	const i = row >= 0 && event.offsetX >= gutter() ? stayAt(lanes.rows[row], at) : -1;

	if (row < 0 || event.offsetX < gutter())
		return hideTip();
	const under = sectionUnder(lanes, row, event.offsetY, at);

	if (under)
		return showTip(aboutSection(lanes, row, under), event.clientX, event.clientY);
	const about =
		i >= 0
			? aboutStay(lanes, row, i, at)
			: `${lanes.names[row]}: nothing of the recording\n` +
				`at ${moment(at, state.end - state.begin)}`;

	showTip(
		[about, ...marksUnder(lanes, row, at)].join("\n"),
		event.clientX,
		event.clientY,
	);
}

/* A drag moves; with Shift it selects; a click goes to the stay. */
function lanesPointer(lanes) {
	const canvas = lanes.canvas;
	let from = null;

	canvas.addEventListener("pointerdown", (event) => {
		from = {
			x: event.offsetX,
			begin: state.begin,
			end: state.end,
			at: lanesTime(lanes, event.offsetX),
			selects: event.shiftKey,
			moved: false,
		};
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		if (!from)
			return tipOfLanes(lanes, event);
		from.moved = from.moved || Math.abs(event.offsetX - from.x) > 3;
		if (!from.moved)
			return;
		hideTip();
		if (from.selects) {
			select(from.at, lanesTime(lanes, event.offsetX));
			return;
		}
		const by =
			((from.x - event.offsetX) / (canvas.clientWidth - gutter())) *
			(from.end - from.begin);

		setView(from.begin + by, from.end + by);
	});
	canvas.addEventListener("pointerup", (event) => {
		if (from && !from.moved) {
			lanes.row = lanesRow(lanes, event.offsetY);
			lanes.stay =
				lanes.row >= 0
					? stayAt(
							lanes.rows[lanes.row],
							lanesTime(lanes, event.offsetX),
						)
					: -1;
			tell("view");
		}
		from = null;
	});
	canvas.addEventListener("pointerleave", hideTip);
	canvas.addEventListener("dblclick", (event) =>
		zoomView(0.25, lanesTime(lanes, event.offsetX)),
	);
	/* without focus or Ctrl the wheel scrolls the page, as elsewhere */
	canvas.addEventListener(
		"wheel",
		(event) => {
			if (document.activeElement !== canvas && !event.ctrlKey)
				return;
			event.preventDefault();
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
				panView(event.deltaX / canvas.clientWidth);
			else
				zoomView(
					event.deltaY > 0 ? WHEEL_FACTOR : 1 / WHEEL_FACTOR,
					lanesTime(lanes, event.offsetX),
				);
		},
		{ passive: false },
	);
}

/* Brings a stay into view, and tells of it. */
function goToStay(lanes, row, i) {
	const stays = lanes.rows[row],
		middle = (stays.begin[i] + stays.end[i]) / 2;
	const span = state.end - state.begin,
		y = lanesTop(lanes) + row * rowHeight(lanes);

	lanes.row = row;
	lanes.stay = i;
	if (middle < state.begin || middle > state.end)
		setView(middle - span / 2, middle + span / 2);
	if (
		y < lanes.scroller.scrollTop ||
		y + rowHeight(lanes) + AXIS > lanes.scroller.scrollTop + lanes.canvas.clientHeight
	)
		lanes.scroller.scrollTop = Math.max(y - lanes.canvas.clientHeight / 2, 0);
	const box = lanes.canvas.getBoundingClientRect();

	showTip(
		aboutStay(lanes, row, i, stays.begin[i]),
		box.left + gutter(),
		box.top + y - lanes.scroller.scrollTop + rowHeight(lanes),
	);
	tell("view");
}

function moveRow(lanes, by) {
	const row = Math.min(Math.max(lanes.row + by, 0), lanes.rows.length - 1);
	const now = lanes.rows[lanes.row],
		at =
			now && lanes.stay >= 0 && lanes.stay < now.count
				? now.begin[lanes.stay]
				: (state.begin + state.end) / 2;
	const stays = lanes.rows[row];

	if (!stays.count) {
		lanes.row = row;
		lanes.stay = -1;
		tell("view");
		return;
	}
	goToStay(lanes, row, Math.min(firstAbove(stays.end, at, 0, stays.count), stays.count - 1));
}

function moveStay(lanes, by) {
	const stays = lanes.rows[Math.max(lanes.row, 0)];

	if (!stays || !stays.count)
		return;
	if (lanes.stay < 0)
		lanes.stay =
			Math.min(
				firstAbove(stays.end, state.begin, 0, stays.count),
				stays.count - 1,
			) - by;
	goToStay(
		lanes,
		Math.max(lanes.row, 0),
		Math.min(Math.max(lanes.stay + by, 0), stays.count - 1),
	);
}

function lanesKeys(lanes, event) {
	const middle = (state.begin + state.end) / 2;
	const keys = {
		ArrowLeft: () => panView(-0.1),
		ArrowRight: () => panView(0.1),
		ArrowUp: () => moveRow(lanes, -1),
		ArrowDown: () => moveRow(lanes, 1),
		"[": () => moveStay(lanes, -1),
		"]": () => moveStay(lanes, 1),
		Enter: () => {
			const stays = lanes.rows[lanes.row];

			if (stays && lanes.stay >= 0 && lanes.stay < stays.count)
				select(stays.begin[lanes.stay], stays.end[lanes.stay]);
		},
		"+": () => zoomView(1 / 1.6, middle),
		"=": () => zoomView(1 / 1.6, middle),
		"-": () => zoomView(1.6, middle),
		0: () => setView(0, lengthNs),
	};

	if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	event.stopPropagation();
	keys[event.key]();
}
