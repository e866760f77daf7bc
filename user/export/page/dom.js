/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Elements. Text gets into the page by way of text nodes alone: names are those of a program that
 * nobody vouches for.
 */

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties || {})) {
		if (name === "style")
			Object.assign(element.style, value);
		else if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value === true)
			element.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(name, value);
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false)
			element.append(child instanceof Node ? child : String(child));
	return element;
}

function make(tag, properties, ...children) {
	return fill(document.createElement(tag), properties, children);
}

function makeSvg(tag, properties, ...children) {
	return fill(
		document.createElementNS("http://www.w3.org/2000/svg", tag),
		properties,
		children,
	);
}

function byId(id) {
	return document.getElementById(id);
}

function bodyOf(id) {
	return document.querySelector(`#${id} > .body`);
}

function swatch(colour) {
	return make("span", { class: "swatch", style: { background: colour } });
}

function bar(part, colour) {
	const style = { width: `${Math.min(Math.max(part, 0), 1) * 100}%` };

	if (colour)
		style.background = colour;
	return make("span", { class: "bar" }, make("i", { style }));
}

function cellOf(column, value) {
	const kind = column.figure ? "figure" : column.kind || "";

	return make("td", { class: `${kind} ${column.wide ? "wide" : ""}`.trim() || null }, value);
}

/* @columns: { title, figure, kind, wide, of(row) }. */
function makeTable(columns, rows, label) {
	const head = columns.map((column) =>
		make(
			"th",
			{
				scope: "col",
				class:
					`${column.figure ? "figure" : ""} ${column.wide ? "wide" : ""}`.trim() ||
					null,
			},
			column.title,
		),
	);
	const lines = rows.map((row) =>
		make(
			"tr",
			null,
			columns.map((column) => cellOf(column, column.of(row))),
		),
	);

	return make(
		"table",
		{ "aria-label": label },
		make("thead", null, make("tr", null, head)),
		make("tbody", null, lines),
	);
}

/* A table of the first @count rows, and a button for all of them. */
function putTable(into, columns, rows, label, count) {
	const holder = make("div", { class: "scroll" });
	const show = (shown) => {
		holder.replaceChildren(makeTable(columns, shown, label));
		if (shown.length < rows.length)
			holder.append(
				make(
					"button",
					{ type: "button", class: "all", onclick: () => show(rows) },
					`Show all ${rows.length.toLocaleString("en")}`,
				),
			);
	};

	show(rows.slice(0, count));
	into.append(holder);
}

function note(text, kind) {
	return make("p", { class: kind || "note" }, text);
}

function chooser(label, choices, value, change) {
	const select = make(
		"select",
		{ onchange: () => change(select.value) },
		choices.map(([key, text]) =>
			make("option", { value: key, selected: key === value }, text),
		),
	);

	return make("label", null, label, select);
}
