/* SPDX-License-Identifier: GPL-2.0 */
/* The flame graph: outermost function at the top, width by time. */

const FLAME_ROW = 19;
const NARROWEST = 0.0008; /* of the width: narrower functions are left out */
const BOXES_AT_MOST = 4000;

const flameView = {
	thread: "all",
	reason: "all",
	search: "",
	selected: false,
	root: null,
	top: null,
	at: null,
	holder: null,
	boxes: new Map(),
	left: 0,
};

const FLAME_COLOURS = {
	own: ["#E69F00", "#F0B84A", "#F7CE7C"],
	other: ["#56B4E9", "#86C9EF", "#A9D9F4"],
	kernel: ["#CC79A7"],
	none: ["#b4bac2"],
};

/* Own objects: those of the places. */
const ownObjects = new Set(reportPlaces.map((place) => place.object));

function flameColour(node) {
	let kind = "other";

	if (node.module === "" || node.name.startsWith("["))
		kind = "none";
	else if (node.module.startsWith("["))
		kind = "kernel";
	else if (ownObjects.has(node.module))
		kind = "own";
	let sum = 0;

	for (const letter of node.name)
		sum += letter.codePointAt(0);
	return FLAME_COLOURS[kind][sum % FLAME_COLOURS[kind].length];
}

function isFound(node) {
	return (
		flameView.search !== "" &&
		node.name.toLowerCase().includes(flameView.search.toLowerCase())
	);
}

/* Time of what is found, each moment once: below a function that is found nothing is added. */
function foundTime(node) {
	if (isFound(node))
		return node.value;
	return sumOf(node.children.values(), foundTime);
}

function flameText(node) {
	const root = flameView.root;
	const parts = [
		`${time(node.value)}, ${percentOf(node.value, root.value)} of ` +
			(flameView.selected ? "the time on CPUs shown" : "the time shown"),
	];

	if (!flameView.selected)
		parts.push(`${percentOf(node.value, wallNs)} of the run`);
	return `${node.name}${node.module ? ` (${node.module})` : ""}\n${parts.join(", ")}`;
}

function addFlameBox(node, x, width, row, passed) {
	const box = make(
		"div",
		{
			class:
				[
					isFound(node) && "found",
					passed && "passed",
					node === flameView.at && "at",
				]
					.filter(Boolean)
					.join(" ") || null,
			style: {
				left: `${x * 100}%`,
				width: `${width * 100}%`,
				top: `${row * FLAME_ROW}px`,
				background: flameColour(node),
			},
		},
		width > 0.02 ? node.name : "",
	);

	box.addEventListener("click", () => topFlame(node));
	box.addEventListener("pointermove", (event) =>
		showTip(flameText(node), event.clientX, event.clientY),
	);
	flameView.boxes.set(node, box);
	flameView.holder.append(box);
}

/* What is above the function at the top, as wide as the graph; then its tree. */
function layFlame() {
	const above = [];
	let queue = [{ node: flameView.top, x: 0 }],
		depth = 0;

	flameView.boxes.clear();
	flameView.holder.replaceChildren();
	flameView.left = 0;
	for (let node = flameView.top.above; node; node = node.above)
		above.unshift(node);
	for (const node of above)
		addFlameBox(node, 0, 1, depth++, true);
	for (; queue.length; depth++) {
		const next = [];

		for (const { node, x } of queue) {
			const width =
				flameView.top.value > 0 ? node.value / flameView.top.value : 1;

			if (width < NARROWEST || flameView.boxes.size >= BOXES_AT_MOST) {
				flameView.left++;
				continue;
			}
			addFlameBox(node, x, width, depth, false);
			let at = x;

			for (const child of childrenInOrder(node)) {
				next.push({ node: child, x: at });
				at +=
					flameView.top.value > 0
						? child.value / flameView.top.value
						: 0;
			}
		}
		queue = next;
	}
	flameView.holder.style.height = `${depth * FLAME_ROW}px`;
	sayFlame();
}

function sayFlame() {
	const root = flameView.root,
		said = [];

	if (flameView.search !== "")
		said.push(
			`"${flameView.search}": ${time(foundTime(root))}, ${percentOf(foundTime(root), root.value)}`,
		);
	said.push(
		flameView.selected
			? `${time(root.value)} of time on CPUs in the selection`
			: `${time(root.value - root.idle)} of critical time${root.idle > 0 ? ` and ${time(root.idle)} with no thread active` : ""}${state.selection ? ", of the whole run" : ""}`,
	);
	if (flame.left_out_ns + number(flame.left_out_idle_ns) > 0 && !flameView.selected)
		said.push(
			`${time(flame.left_out_ns + number(flame.left_out_idle_ns))} more has call paths that are too many for this file`,
		);
	if (flameView.left)
		said.push(
			`${plural(flameView.left, "function")} too narrow to show: click one to zoom`,
		);
	byId("flame-said").textContent = said.join("; ");
}

function topFlame(node) {
	flameView.top = flameView.at = node;
	layFlame();
	hideTip();
}

function remakeFlame() {
	flameView.selected = flameView.selected && selectedSums !== null;
	flameView.root = flameView.selected
		? selectionTree(selectedSums)
		: pathTree(flameView.thread, flameView.reason);
	flameView.top = flameView.at = flameView.root;
	for (const one of document.querySelectorAll("#flame .of-paths"))
		one.hidden = flameView.selected;
	byId("flame-selected").hidden = !selectedSums;
	byId("flame-selected").setAttribute("aria-pressed", String(flameView.selected));
	layFlame();
}

/* To the caller, to the widest callee, to the neighbours; Enter zooms. */
function flameKeys(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	const at = flameView.at,
		beside = at.above ? childrenInOrder(at.above) : [at];
	const to = {
		ArrowUp: () => at.above,
		ArrowDown: () => childrenInOrder(at)[0],
		ArrowLeft: () => beside[beside.indexOf(at) - 1],
		ArrowRight: () => beside[beside.indexOf(at) + 1],
	}[event.key];

	if (event.key === "Enter")
		topFlame(at);
	else if (event.key === "0" || event.key === "-")
		topFlame(
			event.key === "0" ? flameView.root : flameView.top.above || flameView.root,
		);
	else if (to && flameView.boxes.has(to() || null))
		goInFlame(to());
	else if (!to)
		return;
	event.preventDefault();
	event.stopPropagation();
}

function goInFlame(node) {
	flameView.boxes.get(flameView.at)?.classList.remove("at");
	flameView.at = node;
	const box = flameView.boxes.get(node),
		place = box.getBoundingClientRect();

	box.classList.add("at");
	showTip(flameText(node), place.left, place.bottom);
}

function flameTools() {
	const used = new Set(list(flame.rows).map((row) => row[1]));
	const threads = list(flame.threads_of_rows)
		.map((thread, i) => [String(i), threadName(thread)])
		.filter(([i]) => used.has(Number(i)));
	const reasons = [...new Set(list(flame.rows).map((row) => row[2]))]
		.filter((reason) => reason >= 0)
		.map((reason) => [
			String(reason),
			`waited: ${list(flame.reasons || (timeline && timeline.reasons))[reason] || reason}`,
		]);
	const search = make("input", {
		type: "search",
		id: "flame-search",
		placeholder: "function",
		size: 18,
	});
	const choose = (name) => (value) => {
		flameView[name] = value;
		remakeFlame();
	};
	const chooserOf = (label, name, choices) =>
		choices.length > 1
			? make(
					"span",
					{ class: "of-paths" },
					chooser(label, choices, flameView[name], choose(name)),
				)
			: null;

	search.addEventListener("input", () => {
		flameView.search = search.value;
		layFlame();
	});
	return make(
		"div",
		{ class: "tools" },
		make("label", null, "Search ", search),
		chooserOf("Thread ", "thread", [["all", "all"], ...threads]),
		chooserOf("Reason ", "reason", [["all", "all"], ["ran", "ran"], ...reasons]),
		make(
			"button",
			{
				type: "button",
				id: "flame-selected",
				hidden: true,
				onclick: () => {
					flameView.selected = !flameView.selected;
					remakeFlame();
				},
			},
			"Of the selection",
		),
		make("button", { type: "button", onclick: () => topFlame(flameView.root) }, "All"),
		make("span", { id: "flame-said", class: "note", role: "status" }),
	);
}

function showFlame() {
	const body = bodyOf("flame");

	if (!list(flame.rows).length && !timeline) {
		body.append(note("This recording has no call paths of critical time."));
		return;
	}
	flameView.holder = make("div", {
		class: "flame",
		tabindex: 0,
		role: "group",
		"aria-label":
			"Flame graph. Arrows go to callers, callees and neighbours, Enter zooms, 0 shows all.",
	});
	body.append(flameTools(), flameView.holder);
	flameView.holder.addEventListener("keydown", flameKeys);
	flameView.holder.addEventListener("pointerleave", hideTip);
	flameView.holder.addEventListener("blur", hideTip);
	on("selection", remakeFlame);
	remakeFlame();
}
