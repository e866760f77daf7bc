/* SPDX-License-Identifier: GPL-2.0 */
/* The two sections of timelines: their tools, legends and notes. */

const LEGEND_NAMES = 7;
const STRIPS_AT_MOST = 6;

function cpuName(cpu) {
	return Number.isInteger(cpu.node)
		? `CPU ${cpu.cpu}  node ${cpu.node}`
		: `CPU ${cpu.cpu}`;
}

const lanesOfCpus = makeLanes("cpu", cpuRows, list(timeline && timeline.cpus).map(cpuName));
const lanesOfThreads = makeLanes(
	"thread",
	threadRows,
	list(timeline && timeline.threads).map(threadName),
);

function legendOf(lanes) {
	const names = MODES[state.mode].names();
	const entries = names
		.map((name, i) => name !== null && make("span", null, swatch(numbered(i)), name))
		.slice(0, LEGEND_NAMES)
		.filter(Boolean);
	const more = names.slice(LEGEND_NAMES).filter((name) => name !== null).length;

	if (more && state.mode === "thread")
		entries.push(make("span", null, "further threads: the same colours again"));
	else if (more)
		entries.push(make("span", null, swatch(REST), `${more} more`));
	if (state.mode === "place")
		entries.push(make("span", null, swatch(REST), "other code, or no sample"));
	if (state.mode === "section")
		entries.push(
			make("span", null, swatch(REST), "no section, or several short ones merged"),
		);
	else if (bandOf(lanes))
		entries.push(...sectionLegend());
	if (lanes.kind === "thread" && marksOfThread.size)
		entries.push(make("span", null, "flag: a mark"));
	if (lanes.kind === "thread") {
		entries.push(
			make(
				"span",
				null,
				swatch(READY_COLOUR),
				"half height: ready, without a CPU",
			),
		);
		for (const reason of usedReasons())
			entries.push(
				make(
					"span",
					null,
					swatch(reasonColour(reason)),
					`thin: waited, ${timeline.reasons[reason]}`,
				),
			);
	}
	return entries;
}

/* What the thin boxes above the stays are. */
function sectionLegend() {
	return sectionNames
		.slice(0, LEGEND_NAMES)
		.map((name, i) => make("span", null, swatch(numbered(i)), `above: section ${name}`))
		.concat(
			sectionNames.length
				? [make("span", null, swatch(REST), "above: other sections, or several merged")]
				: [],
		);
}

let reasonsFound = null;

/* Reasons of the waits in the rows. */
function usedReasons() {
	if (!reasonsFound) {
		const found = new Set();

		for (const row of threadRows)
			for (let i = 0; i < row.count; i++)
				if (row.kind[i] === WAITED && timeline.reasons[row.who[i]])
					found.add(row.who[i]);
		reasonsFound = [...found].sort((a, b) => a - b);
	}
	return reasonsFound;
}

function notesOfLanes(lanes) {
	const notes = [];

	if (timeline.merged_stays > 0)
		notes.push(
			`${plural(timeline.merged_stays, "stay")} shorter than ${shortTime(timeline.merged_below_ns)} ` +
				"were merged with their neighbours, so that this file stays small: they are paler.",
		);
	if (!timeline.every_slice)
		notes.push(
			"Only slices in which few threads were active are here: record with --level trace --records " +
				"for all.",
		);
	if (timeline.threads_left_out > 0)
		notes.push(
			`${plural(timeline.threads_left_out, "thread")} found no room in this file: what they ` +
				"did is in the rows of the cores alone.",
		);
	if (lanes.kind === "thread" && timeline.wakes_left_out > 0)
		notes.push(
			`${plural(timeline.wakes_left_out, "wake-up")} found no room in this file.`,
		);
	if (lanes.kind === "cpu" && list(timeline.cpus).every((cpu) => !Number.isInteger(cpu.node)))
		notes.push("The recording does not say which NUMA node each CPU belongs to.");
	if (lanes.kind === "cpu")
		notes.push(...stoppedNotes());
	else
		notes.push(...sectionNotes(), ...markNotes(), ...pathNotes());
	return notes.map((text) => note(text));
}

function stoppedNotes() {
	return stoppedByProgram.slice(0, STRIPS_AT_MOST).map((times, program) => {
		let sum = 0;

		for (let i = 0; i < times.length; i += 2)
			sum += times[i + 1] - times[i];
		return (
			`${programName(timeline.programs[program])}: every thread stopped at once for ${time(sum)}, ` +
			`${plural(times.length / 2, "time")}.`
		);
	});
}

function toolsOf(lanes) {
	const toggle = (label, name) => {
		const button = make(
			"button",
			{
				type: "button",
				"aria-pressed": String(overlays[name]),
				onclick: () => {
					overlays[name] = !overlays[name];
					for (const one of document.querySelectorAll(
						`button[data-overlay=${name}]`,
					))
						one.setAttribute(
							"aria-pressed",
							String(overlays[name]),
						);
					tell("look");
				},
				"data-overlay": name,
			},
			label,
		);

		return button;
	};
	const zoom = (label, title, act) =>
		make("button", { type: "button", title, "aria-label": title, onclick: act }, label);

	return make(
		"div",
		{ class: "tools" },
		chooser(
			"Running coloured by ",
			Object.keys(MODES)
				.filter((mode) => mode !== "section" || sectionNames.length)
				.map((mode) => [mode, MODES[mode].title]),
			state.mode,
			setMode,
		),
		zoom("+", "Zoom in", () => zoomView(1 / 1.6, (state.begin + state.end) / 2)),
		zoom("−", "Zoom out", () => zoomView(1.6, (state.begin + state.end) / 2)),
		zoom("0", "The whole run", () => setView(0, lengthNs)),
		criticalPath.length ? toggle("Critical path", "path") : null,
		lanes.kind === "thread" && sectionLevels ? toggle("Sections", "sections") : null,
		lanes.kind === "thread" && marksOfThread.size ? toggle("Marks", "marks") : null,
		lanes.kind === "thread" && wakes.count ? toggle("Wake-ups", "wakes") : null,
		make("span", { class: "shown note" }),
	);
}

function showLanes(id, lanes) {
	const body = bodyOf(id);

	if (!timeline || !lanes.rows.length) {
		byId(id).hidden = true;
		return;
	}
	const legend = make("div", { class: "legend" }),
		tools = toolsOf(lanes);

	lanes.strips =
		lanes.kind === "cpu" ? Math.min(list(timeline.programs).length, STRIPS_AT_MOST) : 0;
	lanes.canvas = make("canvas", {
		tabindex: 0,
		role: "img",
		"aria-label":
			`${lanes.kind === "cpu" ? "CPUs" : "Threads"} over time. Arrows left and right move, up and down go to ` +
			"another row, [ and ] to the stay before and behind, + and - zoom, 0 shows the whole run.",
	});
	lanes.scroller = make("div", { class: "lanes" }, make("div", null, lanes.canvas));
	body.append(
		tools,
		make("div", { class: "chart" }, lanes.scroller),
		legend,
		note(
			"Drag to move, Shift and drag to select; the wheel zooms once the chart has the focus " +
				"(click it) or with Ctrl.",
			"hint",
		),
		...notesOfLanes(lanes),
	);
	lanesPointer(lanes);
	lanes.canvas.addEventListener("keydown", (event) => lanesKeys(lanes, event));
	lanes.canvas.addEventListener("blur", hideTip);
	lanes.scroller.addEventListener("scroll", () => tell("view"));
	const redraw = () => {
		drawLanes(lanes);
		tools.querySelector(".shown").textContent =
			`from ${moment(state.begin, state.end - state.begin)}, for ${shortTime(state.end - state.begin)}`;
	};
	const look = () => {
		for (const select of document.querySelectorAll(`#${id} select`))
			select.value = state.mode;
		legend.replaceChildren(...legendOf(lanes));
		redraw();
	};

	on("view", redraw);
	on("selection", redraw);
	on("look", look);
	look();
}
