/* SPDX-License-Identifier: GPL-2.0 */
/* Imbalance, wait objects, threads. */

const THREADS_SHOWN = 12;
const OBJECTS_SHOWN = 10;
const TEAMS_SHOWN = 3;
const TEAM_ROWS = 8;
const EVEN_RATIO = 1.2; /* longest to average: up to here a team is called even */
const NOTABLE = 0.03; /* of the run: less excess is not worth a word */

/* "worker-*" for worker-1 and worker-2, else the name. */
function teamKey(comm) {
	const stem = comm.replace(/[0-9]+$/, "");

	return stem === comm ? comm : `${stem}*`;
}

/* Teams of threads by name; leaders are left out unless all threads are leaders. */
function teamsOf(threads) {
	const teams = new Map();

	for (const thread of threads) {
		const key = teamKey(thread.comm || "?");

		if (!teams.has(key))
			teams.set(key, []);
		teams.get(key).push(thread);
	}
	return [...teams].map(([name, all]) => {
		const workers = all.filter((thread) => thread.tid !== thread.tgid);
		const members = workers.length ? workers : all,
			sum = sumOf(members, (thread) => thread.run_s);
		const most = Math.max(...members.map((thread) => thread.run_s));
		const numberless = new Set(members.map((thread) => thread.comm)).size === 1;

		return {
			name: numberless ? members[0].comm : name,
			members,
			average: sum / members.length,
			most,
			least: Math.min(...members.map((thread) => thread.run_s)),
			excess: most - sum / members.length,
		};
	});
}

function isUneven(team) {
	return (
		team.members.length > 1 &&
		team.average > 0 &&
		team.most / team.average > EVEN_RATIO &&
		team.excess >= NOTABLE * report.wall_s
	);
}

function showImbalance() {
	const body = bodyOf("imbalance");
	const uneven = teamsOf(list(report.threads))
		.filter(isUneven)
		.sort((a, b) => b.excess - a.excess);

	if (!uneven.length) {
		body.append(
			note(
				"None among threads of one name: each was on CPUs for at most " +
					`${EVEN_RATIO} times the average of its team, or the difference is below ` +
					`${NOTABLE * 100} % of the run.`,
			),
		);
		return;
	}
	for (const team of uneven.slice(0, TEAMS_SHOWN)) {
		const members = team.members.slice().sort((a, b) => b.run_s - a.run_s);

		body.append(
			make(
				"h3",
				null,
				`${team.members.length} ${team.name}: ${time(team.least * NS)} to ` +
					`${time(team.most * NS)} on CPUs, most/average ${(team.most / team.average).toFixed(1)}`,
			),
		);
		putTable(
			body,
			[
				{
					title: `on CPUs ${runUnit.name}`,
					figure: true,
					of: (thread) => inTable(thread.run_s * NS),
				},
				{
					title: "by average",
					figure: true,
					of: (thread) => (thread.run_s / team.average).toFixed(2),
				},
				{
					title: "",
					of: (thread) => bar(thread.run_s / team.most, numbered(1)),
				},
				{ title: "thread", kind: "name", of: threadName },
			],
			members,
			`Imbalance of ${team.name}`,
			TEAM_ROWS,
		);
	}
	if (uneven.length > TEAMS_SHOWN)
		body.append(
			note(`${uneven.length - TEAMS_SHOWN} more teams of threads are uneven.`),
		);
}

function siteName(site) {
	return [
		make("code", null, functionName(site)),
		" ",
		make("span", { class: "note" }, fileLine(site)),
	];
}

function enderName(ender) {
	const thread = ender.interrupt
		? `interrupt ${ender.interrupt_kind || ""}`.trim()
		: ender.thread || "not known";

	return ender.function ? [thread, " in ", siteName(ender)] : thread;
}

function objectDetails(object) {
	const parts = [
		list(object.sites)
			.slice(0, 3)
			.map((site) => make("div", null, siteName(site))),
	];

	for (const diagnosis of list(object.diagnoses))
		parts.push(make("div", { class: "warning" }, diagnosis.says));
	return parts;
}

function showObjects() {
	const body = bodyOf("objects"),
		objects = list(report.wait_objects);

	if (!objects.length) {
		body.append(note("The recording has no waits of threads for one another."));
		return;
	}
	if (!report.every_wait)
		body.append(note("Not every wait was recorded: these times are estimates."));
	putTable(
		body,
		[
			{
				title: `others ${runUnit.name}`,
				figure: true,
				of: (object) => inTable(object.critical_s * NS),
			},
			{
				title: `waited ${runUnit.name}`,
				figure: true,
				wide: true,
				of: (object) =>
					Number.isFinite(object.waited_s)
						? inTable(object.waited_s * NS)
						: "",
			},
			{ title: "waits", figure: true, of: (object) => object.waits },
			{ title: "wait for", of: (object) => object.called || object.reason },
			{
				title: "wait object",
				kind: "name",
				of: (object) => object.name || "not known",
			},
			{ title: "who waited where", kind: "name", of: objectDetails },
			{
				title: "who ended the waits",
				kind: "name",
				wide: true,
				of: (object) =>
					list(object.enders)
						.slice(0, 3)
						.map((ender) =>
							make("div", null, enderName(ender)),
						),
			},
		],
		objects,
		"Wait objects",
		OBJECTS_SHOWN,
	);
	body.append(
		note(
			"others: time with few threads active, or none, while threads waited for the object. waited: how long " +
				"all waits took; without a figure, records do not say that of most.",
		),
	);
}

function showThreads() {
	const body = bodyOf("threads"),
		threads = list(report.threads);
	const most = Math.max(...threads.map((thread) => number(thread.cmetric_s)), 1e-12);
	const figure = (title, key, wide) => ({
		title: `${title} ${runUnit.name}`,
		figure: true,
		wide,
		of: (thread) => (Number.isFinite(thread[key]) ? inTable(thread[key] * NS) : ""),
	});

	putTable(
		body,
		[
			{ title: "thread", figure: true, of: (thread) => thread.tid },
			figure("CMetric", "cmetric_s"),
			{
				title: "%",
				figure: true,
				of: (thread) =>
					((thread.cmetric_s * 100) / report.wall_s).toFixed(1),
			},
			{
				title: "",
				wide: true,
				of: (thread) => bar(thread.cmetric_s / most, numbered(1)),
			},
			figure("critical", "critical_s"),
			figure("on-CPU", "run_s"),
			figure("run-queue", "runq_s", true),
			figure("blocked", "blocked_s", true),
			{
				title: "slices",
				figure: true,
				wide: true,
				of: (thread) => thread.slices,
			},
			{ title: "name", kind: "name", of: (thread) => thread.comm || "?" },
		],
		threads,
		"Threads",
		THREADS_SHOWN,
	);
	body.append(
		note(
			"CMetric: the thread's share of the run, of each moment among those active in it.",
		),
	);
}
