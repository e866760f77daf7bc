// SPDX-License-Identifier: GPL-2.0
// Imports a file by the importer in speedscope's bundle, and prints names and sums of its profiles
// as JSON. usage: node import.js BUNDLE FILE
'use strict';
const fs = require('fs');
const path = require('path');

// The importer is a module of the bundle that is made when a file is opened: hand it out instead.
function findImporter(bundle) {
	let text = fs.readFileSync(bundle, 'utf8');
	const name = /\bvar (\w+)=\{\};[\w$]+\(\1,\{[^}]*\bimportProfilesFromArrayBuffer\b/.exec(text);
	if (!name)
		throw new Error('the bundle has no importer');
	const begin = new RegExp(`\\(([\\w$]+)\\(\\),(?:[\\w$]+\\()?${name[1]}\\b`).exec(text);
	if (!begin)
		throw new Error('nothing begins the importer');
	text = text.slice(0, name.index) +
		`globalThis.beginImporter=()=>(${begin[1]}(),${name[1]});` + text.slice(name.index);
	try {
		(0, eval)(text);
	} catch (error) {
		// the page that it would show needs a browser
		if (!globalThis.beginImporter)
			throw error;
	}
	return globalThis.beginImporter();
}

async function main(bundle, file) {
	const log = console.log;
	console.log = () => {};
	const importer = findImporter(bundle);
	const bytes = fs.readFileSync(file);
	const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	const group = await importer.importProfilesFromArrayBuffer(path.basename(file), data);
	const profiles = group.profiles.map(profile => ({
		name: profile.getName(),
		total: profile.getTotalNonIdleWeight ? profile.getTotalWeight() : 0,
	}));
	log(JSON.stringify({ profiles }));
	process.exit(0);
}

process.on('uncaughtException', () => {});
main(process.argv[2], process.argv[3]).catch(error => {
	console.error(String(error));
	process.exit(1);
});
