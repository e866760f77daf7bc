/* SPDX-License-Identifier: GPL-2.0 */
/* The run in figures, how often how many threads were active, and how good the data is. */

const LEVELS_SHOWN = 33;

function factTable(title, rows) {
	const lines = rows
		.filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== "")
		.map(([name, value, bad]) =>
			make(
				"tr",
				null,
				make("td", null, name),
				make("td", { class: bad ? "bad" : null }, value),
			),
		);

	return make(
		"div",
		null,
		make("h3", null, title),
		make("table", { "aria-label": title }, make("tbody", null, lines)),
	);
}

function runFacts() {
	const few =
		report.n_min_most === report.n_min_least
			? String(report.n_min)
			: `${report.n_min_least} to ${report.n_min_most}, at the end ${report.n_min}`;

	return factTable("The run", [
		["Command", list(report.command).join(" ")],
		["Run time", `${time(wallNs)} on ${plural(report.cpus, "CPU")}`],
		["Threads", report.threads_total ?? list(report.threads).length],
		["N_min: few are at most", withTargets ? "each process has its own" : few],
		["Level", report.level || "stats"],
		[
			"Samples",
			report.samples === undefined
				? ""
				: `${report.samples}, at ${report.rate_hz} a second`,
		],
		[
			"Slices",
			report.slices === undefined
				? ""
				: `${report.slices}, ${report.critical_slices} of them critical`,
		],
		["Switches", report.switches],
		["Distinct call paths", report.distinct_paths],
		[
			"gapp-read needed",
			report.reader &&
				`${report.reader.cpu_s.toFixed(2)} s of CPU time, ` +
					`${(report.reader.rss_kib / 1024).toFixed(1)} MiB`,
		],
		[
			"Cost of the probe",
			report.overhead &&
				(Number.isFinite(report.overhead.probe_percent)
					? percent(report.overhead.probe_percent)
					: "too few calls to time one"),
		],
		["Version", report.version],
	]);
}

function lostFacts() {
	const lost = report.lost || {},
		names = {
			ring: "Records without room (-m)",
			paths: "Call paths without room",
			unreadable: "Call paths cut: stack not in memory",
			samples: "Samples that came late",
			threads: "Threads not followed",
			stack_copies: "Stack copies lost",
			paths_over_budget: "Call paths over the budget",
			records_over_budget: "Records over the budget",
		};

	return Object.entries(names)
		.filter(([key]) => lost[key])
		.map(([key, name]) => [
			name,
			lost[key].toLocaleString("en"),
			key === "ring" || key === "threads",
		]);
}

function dataFacts() {
	const whole = report.complete_path_percent,
		without = report.unattributed_s || {};
	const noPath = sumOf(Object.values(without), (value) => value);

	return factTable("The data", [
		[
			"Paths' time on whole paths",
			Number.isFinite(whole) ? `${whole.toFixed(1)} %` : "",
			whole < 80,
		],
		[
			"Critical time without a path",
			noPath > 0
				? `${time(noPath * NS)}, ` +
					`${percentOf(noPath, report.critical_s)}`
				: "",
		],
		...lostFacts(),
		timeline && ["Timeline: records lost", timeline.lost_records || "", true],
		timeline && [
			"Timeline: stays merged",
			timeline.merged_stays
				? `${timeline.merged_stays.toLocaleString("en")}, shorter than ${shortTime(timeline.merged_below_ns)}`
				: "none",
		],
		["Not followed", report.not_followed || "", true],
		[
			"Shares and idle time",
			Number.isFinite(report.accounted_percent)
				? `${report.accounted_percent.toFixed(3)} % of the run`
				: "",
		],
		[
			"Recount at the end",
			report.n_recount_ok === null
				? "not yet: the recording went on"
				: report.n_recount_ok
					? "agrees"
					: "differs",
			report.n_recount_ok === false,
		],
		[
			"Kernel's own accounts",
			Number.isFinite(report.kernel_agrees_percent)
				? `${report.kernel_agrees_percent.toFixed(2)} % agrees`
				: "",
		],
		["Unexpected events", report.unexpected || "", true],
	]);
}

/* Processes that were a target each. */
function targetFacts() {
	const targets = list(report.targets)
		.slice()
		.sort((a, b) => b.critical_s - a.critical_s);
	const holder = make("div", null, make("h3", null, "Processes, each with its own n"));

	putTable(
		holder,
		[
			{
				title: `critical ${runUnit.name}`,
				figure: true,
				of: (target) => inTable(target.critical_s * NS),
			},
			{
				title: `idle ${runUnit.name}`,
				figure: true,
				of: (target) => inTable(target.idle_s * NS),
			},
			{ title: "N_min", figure: true, of: (target) => target.n_min },
			{
				title: "process",
				kind: "name",
				of: (target) => `${target.comm} (${target.tgid})`,
			},
		],
		targets,
		"Targets",
		10,
	);
	return holder;
}

function levelFacts() {
	const levels = list(report.parallelism).map((part, active) => ({
		active,
		part: number(part),
	}));
	const most = Math.max(...levels.map((level) => level.part), 1e-12);
	const holder = make("div", null, make("h3", null, "Threads active"));

	putTable(
		holder,
		[
			{ title: "active", figure: true, of: (level) => level.active },
			{
				title: runUnit.name,
				figure: true,
				of: (level) => inTable((level.part / 100) * wallNs),
			},
			{ title: "%", figure: true, of: (level) => level.part.toFixed(1) },
			{
				title: "",
				of: (level) => bar(level.part / most, activeColour(level.active)),
			},
		],
		levels,
		"Threads active",
		LEVELS_SHOWN,
	);
	return holder;
}

function showFacts() {
	bodyOf("facts").append(runFacts(), dataFacts(), withTargets ? targetFacts() : levelFacts());
	document.querySelector("#text pre").textContent = details.text || "";
	byId("text").hidden = !details.text;
}
