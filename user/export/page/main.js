/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the page, part by part: one that fails says so, and the others stand. */

function showPart(id, show) {
	try {
		show();
	} catch (error) {
		const into = id && (bodyOf(id) || byId(id));

		if (into)
			into.append(note(`This part cannot be drawn: ${error.message}`, "warning"));
		console.error(error);
	}
}

function showNav() {
	for (const section of document.querySelectorAll("section[data-nav]")) {
		if (section.hidden && section.id !== "selected")
			continue;
		const link = make("a", { href: `#${section.id}` }, section.dataset.nav);

		byId("nav").append(link);
		if (section.id === "selected") {
			link.hidden = true;
			on("selection", () => {
				link.hidden = section.hidden;
			});
		}
	}
}

byId("app").hidden = false;
showPart(null, showKeys);
showPart("verdict", showVerdict);
showPart("places", showPlaces);
showPart("parallelism", showParallelism);
showPart("counters", showCounters);
showPart("selected", showSelection);
showPart("cores", () => showLanes("cores", lanesOfCpus));
showPart("threads-time", () => showLanes("threads-time", lanesOfThreads));
showPart("flame", showFlame);
showPart("graph", showGraph);
showPart("bottle", showBottle);
showPart("imbalance", showImbalance);
showPart("objects", showObjects);
showPart("threads", showThreads);
showPart("facts", showFacts);
showPart(null, showNav);
window.addEventListener("resize", () => tell("look"));
document.documentElement.dataset.ready = "true";
