/* SPDX-License-Identifier: GPL-2.0 */
/* The first screen: what is slow, where, why, in the sentences of the text report. */

function words(text) {
	return text
		.split(/\s+/)
		.filter((word) => word !== "")
		.join(" ");
}

/* The first paragraph of the text report, from the verdict on. */
function firstSentences() {
	const verdict = words(report.verdict || "");

	for (const paragraph of (details.text || "").split(/\n\s*\n/)) {
		const text = words(paragraph);

		if (verdict !== "" && text.includes(verdict))
			return {
				verdict,
				more: words(text.slice(text.indexOf(verdict) + verdict.length)),
			};
	}
	return { verdict, more: "" };
}

function activeColour(active) {
	if (!active)
		return REST;
	if (active <= report.n_min_least)
		return "var(--hot)";
	/* few as long as N_min was high */
	return active <= report.n_min_most ? "#E69F00" : "#009E73";
}

/* How much of the run how many threads were active. */
function parallelismBar() {
	const parts = list(report.parallelism).map((part, active) =>
		make("i", {
			title: `${active} active: ${percent(number(part))} of the run`,
			style: {
				width: `${number(part)}%`,
				background: activeColour(active),
				opacity:
					active > 1
						? String(1 - 0.08 * Math.min(active - 1, 6))
						: "1",
			},
		}),
	);

	return make(
		"span",
		{
			class: "stack",
			role: "img",
			"aria-label": "Part of the run by number of active threads",
		},
		parts,
	);
}

function tile(name, value, small, extra) {
	return make(
		"div",
		null,
		make("dt", null, name),
		make("dd", null, value, small && make("small", null, ` ${small}`), extra),
	);
}

function programOfRun() {
	if (withTargets)
		return plural(report.targets.length, "process").replace("processs", "processes");
	if (list(report.command).length)
		return report.command.map((word, i) => (i ? word : baseName(word))).join(" ");
	const names = new Set(list(report.threads).map((thread) => thread.comm));

	return [...names].slice(0, 3).join(", ") || "gapp";
}

function tiles() {
	const found = [
		tile("Run", time(wallNs), `${programOfRun()}`.slice(0, 60)),
		tile(
			"Threads",
			String(report.threads_total ?? list(report.threads).length),
			`on ${plural(report.cpus, "CPU")}`,
		),
	];

	if (report.parallelism_average !== null && report.parallelism_average !== undefined)
		found.push(
			tile(
				"Active threads",
				report.parallelism_average.toFixed(1),
				`of ${report.cpus} on average`,
				parallelismBar(),
			),
		);
	if (report.critical_s !== undefined)
		found.push(
			tile(
				"Few threads active",
				time(report.critical_s * NS),
				withTargets
					? "summed over processes"
					: percentOf(report.critical_s, report.wall_s),
			),
		);
	if (report.idle_s)
		found.push(
			tile(
				"No thread active",
				time(report.idle_s * NS),
				percentOf(report.idle_s, report.wall_s),
			),
		);
	if (report.starved_s > 0)
		found.push(tile("No CPU, while others spun", time(report.starved_s * NS)));
	return found;
}

/* What one must know before one believes a figure. */
function warnings() {
	const found = [],
		lost = report.lost || {};
	const records = number(lost.ring) + number(lost.records_over_budget);

	if (records)
		found.push(`${plural(records, "record")} lost`);
	if (timeline && timeline.lost_records)
		found.push(
			`the timelines have holes (hatched): ${plural(timeline.lost_records, "record")} lost`,
		);
	if (report.not_followed)
		found.push(`${plural(report.not_followed, "thread")} not followed`);
	if (report.unexpected)
		found.push(`${plural(report.unexpected, "unexpected event")}`);
	if (report.n_recount_ok === false)
		found.push("the recount at the end does not agree");
	if (report.code_of_32_bits)
		found.push("code of 32 bits has no call paths: build it for 64 bits to see its places");
	if (Number.isFinite(report.complete_path_percent) && report.complete_path_percent < 80)
		found.push(
			`only ${percent(report.complete_path_percent)} of paths' time is on whole paths`,
		);
	return found.length ? `Mind: ${found.join("; ")}.` : "";
}

function showVerdict() {
	const { verdict, more } = firstSentences();

	byId("brand").textContent = `gapp: ${programOfRun()}`;
	byId("sentence").textContent =
		verdict ||
		"This recording has figures of threads, and no verdict: " +
			"it was made without call paths.";
	byId("more-sentences").textContent = more;
	byId("tiles").replaceChildren(...tiles());
	byId("warnings").textContent = warnings();
}
