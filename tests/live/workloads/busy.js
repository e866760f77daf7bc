// SPDX-License-Identifier: GPL-2.0
// Code that is generated while it runs, and the threads that generate it.
'use strict';
const crypto = require('crypto');
const zlib = require('zlib');

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function round(i) {
	const words = Array.from({ length: 500 }, (_, k) => 'w' + ((k * 7919 + i) % 1009));
	words.sort((a, b) => (a < b ? 1 : -1));
	const text = JSON.stringify(words);
	const sum = (text.match(/w(\d\d)+/g) || []).length + fib(15);
	crypto.createHash('sha256').update(text).digest('hex');
	zlib.deflateSync(text);
	zlib.deflate(text, () => {});
	setImmediate(round, i + sum);
}

round(1);
