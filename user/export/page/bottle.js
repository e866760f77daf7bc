/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bottle graph: a box for each thread. Its height is the thread's CMetric as a part of the run,
 * its width the parallelism while it ran: time on CPUs by CMetric. The widest boxes stand at the
 * bottom, so that a narrow neck is what holds the program up.
 */

const BOTTLE_WIDTH = 640,
	BOTTLE_HEIGHT = 300;
const BOTTLE_SIDE = 210; /* for names */
const BOXES_SHOWN = 60;
const NAME_FROM = 13; /* height of a box that has its name beside it */

/* Critical at most the part 1; the more so, the hotter. */
function bottleBoxes() {
	const threads = list(report.threads)
		.concat(list(report.exited))
		.filter((thread) => thread.cmetric_s > 0);
	const boxes = threads.map((thread) => ({
		name:
			thread.tid === undefined
				? `${thread.comm} (${plural(thread.threads, "thread")} that exited)`
				: threadName(thread),
		cmetric_s: thread.cmetric_s,
		height: thread.cmetric_s / report.wall_s,
		parallelism: Math.max(thread.run_s / thread.cmetric_s, 1),
		critical: Math.min(number(thread.critical_s) / thread.cmetric_s, 1),
	}));

	boxes.sort((a, b) => b.cmetric_s - a.cmetric_s);
	const shown = boxes.slice(0, BOXES_SHOWN),
		rest = boxes.slice(BOXES_SHOWN);

	shown.sort((a, b) => b.parallelism - a.parallelism);
	return { shown, rest };
}

function drawBottle(boxes, whole) {
	const widest = Math.max(...boxes.map((box) => box.parallelism), Math.min(report.cpus, 4));
	const scale = BOTTLE_HEIGHT / Math.max(whole, 1),
		middle = BOTTLE_SIDE + BOTTLE_WIDTH / 2;
	const parts = [];
	let y = 8 + BOTTLE_HEIGHT;

	for (let n = 1; n <= widest; n += Math.max(Math.ceil(widest / 8), 1)) {
		const half = ((n / widest) * BOTTLE_WIDTH) / 2;

		for (const x of [middle - half, middle + half])
			parts.push(
				makeSvg("line", {
					x1: x,
					x2: x,
					y1: 8,
					y2: 8 + BOTTLE_HEIGHT,
					stroke: "var(--line)",
				}),
			);
		parts.push(
			makeSvg(
				"text",
				{
					x: middle + half,
					y: BOTTLE_HEIGHT + 24,
					"text-anchor": "middle",
					class: "faint",
				},
				n,
			),
		);
	}
	for (const box of boxes) {
		const height = box.height * scale,
			width = (box.parallelism / widest) * BOTTLE_WIDTH;

		y -= height;
		parts.push(
			makeSvg(
				"rect",
				{
					class: "box",
					x: middle - width / 2,
					y,
					width,
					height,
					rx: 1,
					fill: numbered(1),
					"data-height": box.height,
					"data-width": box.parallelism,
				},
				makeSvg("title", null, bottleText(box)),
			),
		);
		parts.push(
			makeSvg("rect", {
				x: middle - width / 2,
				y,
				width: width * box.critical,
				height,
				fill: "var(--hot)",
				"pointer-events": "none",
			}),
		);
		if (height >= NAME_FROM)
			parts.push(
				makeSvg(
					"text",
					{
						x: BOTTLE_SIDE - 8,
						y: y + height / 2 + 4,
						"text-anchor": "end",
					},
					`${cutText(box.name, 20)} ${percent(box.height * 100)}`,
				),
			);
	}
	return makeSvg(
		"svg",
		{
			viewBox: `0 0 ${BOTTLE_SIDE + BOTTLE_WIDTH} ${BOTTLE_HEIGHT + 30}`,
			width: BOTTLE_SIDE + BOTTLE_WIDTH,
			role: "img",
			"aria-label": "Bottle graph; the table of threads has its figures",
		},
		parts,
	);
}

function bottleText(box) {
	return (
		`${box.name}: ${percent(box.height * 100)} of the run, ${box.parallelism.toFixed(1)} threads active ` +
		`while it ran, few of them for ${percent(box.critical * 100)}`
	);
}

function showBottle() {
	const { shown, rest } = bottleBoxes(),
		body = bodyOf("bottle");

	if (!shown.length) {
		body.append(note("No thread ran."));
		return;
	}
	const whole = sumOf(shown, (box) => box.height),
		all = whole + sumOf(rest, (box) => box.height);

	body.append(drawBottle(shown, whole));
	body.append(
		note(
			"A box is a thread: as high as its CMetric, its share of the run; as wide as the number of " +
				"threads that were active while it ran (time on CPUs by CMetric). Orange is the part of it with " +
				"few threads active. " +
				(withTargets
					? `The CMetric of the threads of all processes is ${percent(all * 100)} of the run; each process ` +
						"has its own number of active threads, so it may be more than all of it."
					: `The CMetric of all threads is ${percent(all * 100)} of the run; ` +
						"the rest is idle time and waiting for CPUs."),
		),
	);
	if (rest.length)
		body.append(
			note(
				`${plural(rest.length, "thread")} more have ` +
					`${percent(sumOf(rest, (box) => box.height) * 100)} of the run together.`,
			),
		);
}
