/* SPDX-License-Identifier: GPL-2.0 */
/* The tree of a flame graph: of call paths by critical time, or of the selection by time on CPUs. */

const flame = details.flame || { frames: [], modules: [], rows: [], threads_of_rows: [] };
const ROW_FRAMES = 3; /* index of the first frame in a row */

function makeNode(name, module, above) {
	return {
		name,
		module,
		above,
		value: 0,
		children: new Map(),
		depth: above ? above.depth + 1 : 0,
		x: 0,
	};
}

function childOf(node, key, name, module) {
	let child = node.children.get(key);

	if (!child)
		node.children.set(key, (child = makeNode(name, module, node)));
	return child;
}

/* @thread: "all" or a number; @reason: "all", "ran" or a number. */
function pathTree(thread, reason) {
	const root = makeNode("time of all call paths", "", null);

	/* of waits that left no thread active: that is no critical time */
	root.idle = 0;

	for (const row of list(flame.rows)) {
		if (thread !== "all" && row[1] !== Number(thread))
			continue;
		if (reason !== "all" && row[2] !== (reason === "ran" ? -1 : Number(reason)))
			continue;
		let node = root;

		root.value += row[0];
		root.idle += row[2] === -1 ? 0 : row[0];
		for (let i = ROW_FRAMES; i < row.length; i++) {
			node = childOf(
				node,
				row[i],
				String(flame.frames[row[i]] ?? "(not known)"),
				String(list(flame.modules)[row[i]] ?? ""),
			);
			node.value += row[0];
		}
	}
	return root;
}

/* Program, thread, place: more of their call paths the timeline does not have. */
function selectionTree(sums) {
	const root = makeNode("time on CPUs in the selection", "", null);

	for (const { thread, places } of sums.threads) {
		const own = timeline.threads[thread],
			program = list(timeline.programs)[own.program];

		for (const [place, ran] of places) {
			const at = placeOfTimeline(place);
			const steps = [
				[
					`program ${own.program}`,
					program ? programName(program) : "?",
					"",
				],
				[`thread ${thread}`, threadName(own), ""],
				[
					place,
					at ? functionName(at) : "no sample names it",
					at ? at.object || "" : "",
				],
			];
			let node = root;

			root.value += ran;
			for (const [key, name, module] of steps) {
				node = childOf(node, key, name, module);
				node.value += ran;
			}
		}
	}
	return root;
}

/* Widest first, then by name, so that two pages of one recording look alike. */
function childrenInOrder(node) {
	return [...node.children.values()].sort(
		(a, b) => b.value - a.value || (a.name < b.name ? -1 : 1),
	);
}
