// SPDX-License-Identifier: GPL-2.0
/* Computes until Node has compiled what computes, and prints its process id. */
function compact(rounds) {
	let x = 1;

	for (let i = 0; i < rounds; i++)
		x = (x * 31 + i) % 1000003;
	return x;
}

let sum = 0;

for (let i = 0; i < 3000; i++)
	sum += compact(20000);
console.log(process.pid, sum);
