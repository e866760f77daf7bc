// SPDX-License-Identifier: GPL-2.0
/*
 * A library for plugins.c: a function, at another address in each of them and
 * with a frame of another size, that computes and calls back.
 */
#define NAME_OF(number) plugin_work_##number
#define NAME(number) NAME_OF(number)

static void __attribute__((used, noipa)) padding(volatile char *to)
{
	for (int i = 0; i < 100 * (PLUGIN + 1); i++)
		to[i] = i;
}

int __attribute__((noipa)) NAME(PLUGIN)(int (*callback)(void), int call_padding)
{
	volatile char room[104 * (PLUGIN + 1)];
	int got;

	if (call_padding)
		padding(room);
	room[0] = 1;
	got = callback();
	return got + room[0];
}
