/* SPDX-License-Identifier: GPL-2.0 */
/* The table of places; each opens to its call path and its source with heat. */

const PLACES_SHOWN = 5;
const SECOND_PART = 0.25; /* of all waiting: a second wait reason is named as well */
const HOLD_UP = ["lock", "barrier", "disk", "fault", "memory", "kernel-lock", "spin"];
const HOT_LINE = 0.1; /* of a place's time */

function mostWaits(place) {
	return list(place.waiting)
		.slice()
		.sort((a, b) => b.critical_s - a.critical_s);
}

/* Why a place counts: what the others waited for, as the text report words it. */
function whyPlace(place) {
	const waits = mostWaits(place);
	const sum = sumOf(waits, (wait) => wait.critical_s);
	const alone = Math.max(place.critical_s - sum, 0);
	const name = (wait) =>
		wait.name && wait.name !== wait.wait ? `${wait.wait} (${wait.name})` : wait.wait;

	if (place.kind === "waited")
		return `waited: ${place.wait_name || place.wait}`;
	if (!(sum > 0))
		return "no others";
	const named = waits
		.filter((wait, i) => !i || wait.critical_s >= SECOND_PART * sum)
		.slice(0, 2);

	if (named.length > 1 && named[0].wait === "join")
		named.reverse();
	if (alone > sum)
		return sum >= SECOND_PART * place.critical_s
			? `no others, ${named[0].wait}`
			: "no others";
	return named.map(named.length > 1 ? (wait) => wait.wait : name).join(", ");
}

function mainDoing(place) {
	const most = list(place.doing)[0];

	if (
		!most ||
		most.own ||
		most.function === place.function ||
		most.critical_s < place.critical_s / 2
	)
		return "";
	return `, ${functionName(most)} ${percentOf(most.critical_s, place.critical_s)}`;
}

function targetOf(tgid) {
	return list(report.targets).find((target) => target.tgid === tgid);
}

function placeName(place) {
	const target = withTargets && targetOf(place.tgid);

	return [
		target && `${target.comm} (${target.tgid}): `,
		make("b", null, functionName(place)),
		make("span", { class: "note" }, mainDoing(place)),
		make("code", { class: "narrow" }, ` ${fileLine(place) || place.object || ""}`),
	];
}

function items(rows, of, kind) {
	return make(
		"ul",
		{ class: kind || "items" },
		rows.map((row) => make("li", null, of(row))),
	);
}

/* Lines of source with what they took; without source text, the lines' numbers alone. */
function sourceOf(place) {
	const source = list(details.sources).find((one) => one.place === place.rank);
	const lines = list(place.lines).filter((line) => line.line);

	if (!source)
		return lines.length
			? [
					make("h3", null, "Lines"),
					makeTable(
						[
							{
								title: `critical ${runUnit.name}`,
								figure: true,
								of: (line) =>
									inTable(
										line.critical_s *
											NS,
									),
							},
							{
								title: "%",
								figure: true,
								of: (line) =>
									percentOf(
										line.critical_s,
										place.critical_s,
									),
							},
							{
								title: "line",
								of: (line) =>
									make(
										"code",
										null,
										fileLine(line),
										line.stack_top
											? " (StackTop)"
											: "",
									),
							},
						],
						lines.slice(0, 8),
						"Source lines",
					),
				]
			: [];
	const most = Math.max(...list(source.critical_ns).map(number), 1);

	return [
		make("h3", null, source.file),
		make(
			"div",
			{
				class: "source code",
				tabindex: 0,
				role: "group",
				"aria-label": "Source with heat",
			},
			list(source.lines).map((text, i) =>
				sourceLine(source, text, i, most, place),
			),
		),
	];
}

function sourceLine(source, text, i, most, place) {
	const took = number(list(source.critical_ns)[i]);
	const hot = took >= HOT_LINE * place.critical_s * NS;

	return make(
		"div",
		{
			class: hot ? "hot" : null,
			style:
				took > 0
					? {
							background: `rgb(var(--heat) / ${0.06 + (0.3 * took) / most})`,
						}
					: {},
		},
		make("span", { class: "number" }, source.first + i),
		make(
			"span",
			{ class: "heat" },
			took > 0 ? percentOf(took, place.critical_s * NS) : "",
		),
		make("span", null, text || " "),
	);
}

function aboutPlace(place) {
	const facts = [
		`${time(place.critical_s * NS)} in ${plural(
			number(place.slices),
			place.kind === "waited" ? "wait" : "slice",
		)}`,
	];

	if (Number.isFinite(place.median_s))
		facts.push(`median ${shortTime(place.median_s * NS)}`);
	if (Number.isFinite(place.running))
		facts.push(`${place.running.toFixed(1)} running`);
	if (place.thread_count)
		facts.push(plural(place.thread_count, "thread"));
	if (Number.isFinite(place.kernel_s) && place.kernel_known_s > 0)
		facts.push(`kernel ${percentOf(place.kernel_s, place.critical_s)}`);
	return facts.join(", ");
}

/* What was counted while it ran, in each second of it: as the text report says it. */
function countedOf(place) {
	const counters = place.counters;
	const rate = (value) =>
		value > 0 && value < 100 ? String(Number(value.toPrecision(3))) : shortCount(value);
	const rows = Object.entries(counters.per_critical_second).map(
		([name, value]) => `${doubtOf(counters, name)}${rate(value)} ${name}`,
	);

	if (Number.isFinite(counters.local_percent))
		rows.push(`${percent(counters.local_percent)} of loads local`);
	return rows;
}

function detailOf(place) {
	const part = (row) => percentOf(row.critical_s, place.critical_s);
	const named = (at) => [
		make("code", null, functionName(at)),
		" ",
		make("span", { class: "note" }, fileLine(at) || at.object || ""),
	];
	const left = [
		make("p", { class: "note" }, aboutPlace(place)),
		make("h3", null, "Call path"),
		items(list(place.path), named, "items path"),
	];

	if (Number.isFinite(place.gain_bound_s))
		left.splice(
			1,
			0,
			note(
				`Mending it saves at most ${time(place.gain_bound_s * NS)} of ` +
					`${time(wallNs)}, as far as few threads ran.`,
			),
		);
	if (!place.complete)
		left.push(note("The path is cut: its outer frames are not known."));
	if (list(place.doing).length)
		left.push(
			make("h3", null, "It did"),
			items(place.doing.slice(0, 8), (row) => [
				part(row),
				" ",
				make("code", null, functionName(row)),
				row.own ? " itself" : "",
			]),
		);
	if (place.counters)
		left.push(
			make("h3", null, "Counted each critical second"),
			items(countedOf(place), (row) => row, "items counted"),
		);
	if (list(place.waiting).length)
		left.push(
			make("h3", null, "Others waited for"),
			items(mostWaits(place).slice(0, 6), (row) => [
				part(row),
				" ",
				row.wait,
				row.name && row.name !== row.wait ? ` (${row.name})` : "",
			]),
		);
	if (list(place.threads).length)
		left.push(
			make("h3", null, "Threads"),
			items(place.threads.slice(0, 6), (row) => [
				part(row),
				" ",
				threadName(row),
			]),
		);
	return make(
		"div",
		{ class: "columns" },
		make("div", null, left),
		make("div", null, sourceOf(place)),
	);
}

function openPlace(line, button, place) {
	const open = button.getAttribute("aria-expanded") !== "true";

	button.setAttribute("aria-expanded", String(open));
	button.textContent = open ? "▾" : "▸";
	if (!open)
		line.nextElementSibling.remove();
	else
		line.after(
			make(
				"tr",
				{ class: "detail" },
				make("td", { colspan: 7 }, detailOf(place)),
			),
		);
}

/* Coloured as its stays in the timelines where these are coloured by place. */
function placeLine(place, columns) {
	const button = make(
		"button",
		{
			type: "button",
			"aria-expanded": "false",
			"aria-label": `Open place ${place.rank}`,
		},
		"▸",
	);
	const line = make(
		"tr",
		{ class: "opens" },
		columns.map((column, i) =>
			cellOf(column, i ? column.of(place) : [button, column.of(place)]),
		),
	);

	line.addEventListener("click", () => openPlace(line, button, place));
	return line;
}

function showPlaces() {
	const most = Math.max(...reportPlaces.map((place) => number(place.critical_s)), 1e-12);
	const columns = [
		{ title: "#", figure: true, of: (place) => place.rank },
		{
			title: `critical ${runUnit.name}`,
			figure: true,
			of: (place) => inTable(place.critical_s * NS),
		},
		{ title: "%", figure: true, of: (place) => number(place.percent).toFixed(1) },
		{
			title: "",
			wide: true,
			of: (place) =>
				bar(
					place.critical_s / most,
					timeline ? numbered(firstOfCode(place)) : null,
				),
		},
		{ title: "while others wait", of: whyPlace },
		{ title: "code that held everyone up", kind: "name", of: placeName },
		{
			title: "line",
			wide: true,
			of: (place) => make("code", null, fileLine(place) || place.object || ""),
		},
	];
	const places = reportPlaces.filter(holdsUp),
		left = reportPlaces.length - places.length;
	const body = make("tbody"),
		table = makeTable(columns, [], "Places");
	const show = (shown) => body.append(...shown.map((place) => placeLine(place, columns)));
	const holder = make("div", { class: "scroll" }, table);

	if (!reportPlaces.length) {
		bodyOf("places").append(note("This recording has no call paths of critical time."));
		return;
	}
	table.tBodies[0].replaceWith(body);
	show(places.slice(0, PLACES_SHOWN));
	bodyOf("places").append(holder);
	if (places.length > PLACES_SHOWN)
		holder.append(restOfPlaces(places.slice(PLACES_SHOWN), show));
	if (left)
		bodyOf("places").append(
			note(
				`${plural(left, "place")} more, where processes waited for work, ` +
					"as most do nearly all the time.",
			),
		);
}

/*
 * Whether a place says something about a bottleneck, as in the text report: where every process is
 * a target of its own, most of them wait for work nearly all the time.
 */
function holdsUp(place) {
	return !withTargets || place.kind !== "waited" || HOLD_UP.includes(place.wait);
}

function restOfPlaces(rest, show) {
	const sum = sumOf(rest, (place) => place.critical_s);
	/* the sum of several targets' times is no part of the run */
	const part = withTargets ? "" : ` (${percentOf(sum, report.wall_s)})`;

	return make(
		"button",
		{
			type: "button",
			class: "all",
			onclick: (event) => {
				event.target.remove();
				show(rest);
			},
		},
		`${time(sum * NS)}${part} in ${plural(rest.length, "more place")}`,
	);
}
