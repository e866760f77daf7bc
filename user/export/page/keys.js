/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of the whole page, the theme, the help, and how the page is printed. */

const KEYS = [
	["Tab", "to the next button or chart"],
	["← →", "timelines: move; parallelism: move the cursor, with Shift select"],
	["↑ ↓", "timelines: another row; flame graph: caller, callee"],
	["[ ]", "timelines: the stay before, the stay behind"],
	["+ −", "zoom in, zoom out"],
	["0", "the whole run"],
	["Enter", "select the stay; zoom to the selection; flame graph: zoom; places: open"],
	["Esc", "clear the selection"],
	["1 … 9", "open a place"],
	["/", "search the flame graph"],
	["d", "dark or light"],
	["?", "this help"],
];

function openHelp() {
	const dialog = byId("help");

	dialog.replaceChildren(
		make("h2", null, "Keys"),
		make(
			"table",
			null,
			make(
				"tbody",
				null,
				KEYS.map(([key, what]) =>
					make(
						"tr",
						null,
						make("td", null, make("kbd", null, key)),
						make("td", null, what),
					),
				),
			),
		),
		make(
			"form",
			{ method: "dialog" },
			make("p", null, make("button", { autofocus: true }, "Close")),
		),
	);
	dialog.showModal();
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? "dark" : "light";
	byId("theme").setAttribute("aria-pressed", String(dark));
	tell("look");
}

function followTheme() {
	const dark = window.matchMedia("(prefers-color-scheme: dark)");
	let chosen = false;

	setTheme(dark.matches);
	dark.addEventListener("change", () => {
		if (!chosen)
			setTheme(dark.matches);
	});
	byId("theme").addEventListener("click", () => {
		chosen = true;
		setTheme(document.documentElement.dataset.theme !== "dark");
	});
}

/* Paper is light, and has more rows of the timelines. */
function printLight() {
	let before = null;

	window.addEventListener("beforeprint", () => {
		before = document.documentElement.dataset.theme;
		document.documentElement.dataset.theme = "light";
		document.documentElement.classList.add("printing");
		for (const then of new Set(listeners.look))
			then();
	});
	window.addEventListener("afterprint", () => {
		document.documentElement.classList.remove("printing");
		setTheme(before === "dark");
	});
}

function openRank(rank) {
	const find = () =>
		document.querySelector(`#places button[aria-label="Open place ${rank}"]`);

	if (!find())
		document.querySelector("#places button.all")?.click();
	const button = find();

	if (button) {
		button.click();
		button.focus();
	}
}

function pageKeys(event) {
	const middle = (state.begin + state.end) / 2,
		typing = event.target.closest?.("input, select, dialog");
	const keys = {
		"?": openHelp,
		"/": () => {
			byId("flame").scrollIntoView();
			byId("flame-search")?.focus();
		},
		"+": () => zoomView(1 / 1.6, middle),
		"=": () => zoomView(1 / 1.6, middle),
		"-": () => zoomView(1.6, middle),
		0: () => setView(0, lengthNs),
		d: () => byId("theme").click(),
	};

	if (event.key === "Escape") {
		hideTip();
		if (typing && event.target.blur)
			event.target.blur();
		else
			select(0, 0);
	}
	if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
		return;
	if (/^[1-9]$/.test(event.key))
		openRank(Number(event.key));
	else if (keys[event.key])
		keys[event.key]();
	else
		return;
	event.preventDefault();
}

function showKeys() {
	followTheme();
	printLight();
	document.addEventListener("keydown", pageKeys);
	document.addEventListener("scroll", hideTip);
	byId("help-open").addEventListener("click", openHelp);
}
