/* SPDX-License-Identifier: GPL-2.0 */
/* What the user looks at, and who draws anew when that changes. */

const SHORTEST_VIEW = 100; /* nanoseconds */
const lengthNs = timeline ? Math.max(timeline.length_ns, SHORTEST_VIEW) : wallNs;

const state = {
	begin: 0 /* of what the timelines show */,
	end: lengthNs,
	selection: null /* { begin, end } */,
	mode: timeline && list(timeline.programs).length > 1 ? "program" : "place",
};
const listeners = { view: [], selection: [], look: [] };
const pending = new Set();

function on(what, then) {
	listeners[what].push(then);
}

/* At the next frame, however often it changes before. */
function tell(what) {
	if (!pending.size)
		requestAnimationFrame(() => {
			const kinds = [...pending];

			pending.clear();
			for (const then of new Set(kinds.flatMap((kind) => listeners[kind])))
				then();
		});
	pending.add(what);
}

function setView(begin, end) {
	const span = Math.min(Math.max(end - begin, SHORTEST_VIEW), lengthNs);

	state.begin = Math.min(Math.max(begin, 0), lengthNs - span);
	state.end = state.begin + span;
	tell("view");
}

/* @at stays where it is on the screen. */
function zoomView(factor, at) {
	const span = Math.min(
		Math.max((state.end - state.begin) * factor, SHORTEST_VIEW),
		lengthNs,
	);
	const part = (at - state.begin) / (state.end - state.begin);

	setView(at - span * part, at - span * part + span);
}

function panView(part) {
	const by = (state.end - state.begin) * part;

	setView(state.begin + by, state.end + by);
}

function select(begin, end) {
	const from = Math.min(Math.max(Math.min(begin, end), 0), lengthNs);
	const to = Math.min(Math.max(Math.max(begin, end), 0), lengthNs);

	state.selection = to > from ? { begin: from, end: to } : null;
	document.documentElement.classList.toggle("selecting", state.selection !== null);
	tell("selection");
}

/* Shows the selection with some time on both sides. */
function viewSelection() {
	if (!state.selection)
		return;
	const margin = (state.selection.end - state.selection.begin) * 0.02;

	setView(state.selection.begin - margin, state.selection.end + margin);
}

function setMode(mode) {
	state.mode = mode;
	tell("look");
}
