/* SPDX-License-Identifier: GPL-2.0 */
/* Who waited for whom: teams of threads in a circle, and edges as thick as the time. */

const EDGES_SHOWN = 40;
const EDGES_LISTED = 8;
const NODE_WIDTH = 128,
	NODE_HEIGHT = 40;
const GRAPH_WIDTH = 860;

function placeNodes(nodes) {
	const round = nodes.length > 2;
	const height = round ? Math.min(180 + nodes.length * 34, 520) : 190;

	return {
		height,
		at: new Map(
			nodes.map((node, i) => {
				const turn = (i / nodes.length) * 2 * Math.PI - Math.PI / 2;

				return [
					node.id,
					round
						? {
								x:
									GRAPH_WIDTH / 2 +
									Math.cos(turn) *
										(GRAPH_WIDTH / 2 -
											NODE_WIDTH),
								y:
									height / 2 +
									Math.sin(turn) *
										(height / 2 -
											NODE_HEIGHT -
											26),
							}
						: {
								x:
									(GRAPH_WIDTH * (i + 1)) /
									(nodes.length + 1),
								y: height / 2 + 20,
							},
				];
			}),
		),
	};
}

/* From the border of one box to that of another: where the line between them crosses it. */
function atBorder(from, to) {
	const x = to.x - from.x,
		y = to.y - from.y;
	const scale = Math.min(
		(NODE_WIDTH / 2 + 3) / Math.max(Math.abs(x), 1e-6),
		(NODE_HEIGHT / 2 + 3) / Math.max(Math.abs(y), 1e-6),
	);

	return { x: from.x + x * scale, y: from.y + y * scale };
}

function drawEdge(edge, at, most) {
	const from = at.get(edge.from),
		to = at.get(edge.to),
		width = 1.2 + (7 * edge.s) / most;
	const label = time(edge.s * NS);
	let path, labelAt;

	if (edge.from === edge.to) {
		const top = from.y - NODE_HEIGHT / 2;

		path = `M ${from.x - 24} ${top} C ${from.x - 60} ${top - 64}, ${from.x + 60} ${top - 64}, ${from.x + 24} ${top - 3}`;
		labelAt = { x: from.x, y: top - 52 };
	} else {
		const begin = atBorder(from, to),
			end = atBorder(to, from);
		const bend = {
			x: (begin.x + end.x) / 2 - (end.y - begin.y) * 0.16,
			y: (begin.y + end.y) / 2 + (end.x - begin.x) * 0.16,
		};

		path = `M ${begin.x} ${begin.y} Q ${bend.x} ${bend.y} ${end.x} ${end.y}`;
		labelAt = {
			x: (begin.x + end.x) / 4 + bend.x / 2,
			y: (begin.y + end.y) / 4 + bend.y / 2 - 4,
		};
	}
	return [
		makeSvg("path", {
			d: path,
			class: "edge",
			"stroke-width": width,
			"stroke-opacity": 0.75,
			"marker-end": "url(#arrow)",
		}),
		makeSvg("text", { x: labelAt.x, y: labelAt.y, "text-anchor": "middle" }, label),
	];
}

function cutText(text, letters) {
	return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

function drawNode(node, at, knots) {
	const place = at.get(node.id),
		x = place.x - NODE_WIDTH / 2,
		y = place.y - NODE_HEIGHT / 2;

	return [
		makeSvg("rect", {
			x,
			y,
			width: NODE_WIDTH,
			height: NODE_HEIGHT,
			rx: 5,
			class: knots.has(node.id) ? "node knot" : "node",
		}),
		makeSvg(
			"text",
			{ x: place.x, y: place.y - 2, "text-anchor": "middle" },
			cutText(node.name, 18),
		),
		makeSvg(
			"text",
			{ x: place.x, y: place.y + 13, "text-anchor": "middle", class: "faint" },
			node.threads ? plural(node.threads, "thread") : node.kind,
		),
	];
}

function showGraph() {
	const graph = report.graph,
		body = bodyOf("graph");

	if (!graph || !list(graph.edges).length) {
		body.append(
			note(
				graph
					? "No thread waited for another one."
					: "The report has no wait-for graph: record with --level trace --view graph.",
			),
		);
		return;
	}
	const edges = graph.edges.slice(0, EDGES_SHOWN),
		knots = new Set(list(graph.knots).flat());
	const used = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
	const nodes = graph.nodes.filter((node) => used.has(node.id));
	const names = new Map(graph.nodes.map((node) => [node.id, node.name]));
	const { height, at } = placeNodes(nodes),
		most = edges[0].s || 1;
	const arrow = makeSvg(
		"marker",
		{
			id: "arrow",
			viewBox: "0 0 10 10",
			refX: 8,
			refY: 5,
			markerWidth: 11,
			markerHeight: 11,
			markerUnits: "userSpaceOnUse",
			orient: "auto",
		},
		makeSvg("path", { d: "M 0 0 L 10 5 L 0 10 z", fill: "var(--hot)" }),
	);

	body.append(
		makeSvg(
			"svg",
			{
				viewBox: `0 0 ${GRAPH_WIDTH} ${height}`,
				width: GRAPH_WIDTH,
				role: "img",
				"aria-label": "Wait-for graph; the table below says the same",
			},
			makeSvg("defs", null, arrow),
			edges.flatMap((edge) => drawEdge(edge, at, most)),
			nodes.flatMap((node) => drawNode(node, at, knots)),
		),
	);
	body.append(
		note(
			"An arrow leads from who waited to whom that thread waited for. Of a thick frame nothing leads " +
				"away: what waits there waits for itself.",
			"hint",
		),
	);
	putTable(
		body,
		[
			{
				title: `waited ${runUnit.name}`,
				figure: true,
				of: (edge) => inTable(edge.s * NS),
			},
			{
				title: `itself ${runUnit.name}`,
				figure: true,
				of: (edge) => inTable(edge.own_s * NS),
			},
			{ title: "waits", figure: true, of: (edge) => edge.waits },
			{ title: "who", kind: "name", of: (edge) => names.get(edge.from) },
			{ title: "for", kind: "name", of: (edge) => names.get(edge.to) },
		],
		graph.edges,
		"Edges of the wait-for graph",
		EDGES_LISTED,
	);
	if (graph.edges.length > edges.length)
		body.append(
			note(
				`The picture has the ${EDGES_SHOWN} edges with most time, the table has all.`,
			),
		);
	if (graph.unknown_s > 0)
		body.append(
			note(
				`${time(graph.unknown_s * NS)} of waits are in no edge, because records were lost.`,
			),
		);
}
