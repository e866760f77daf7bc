// SPDX-License-Identifier: GPL-2.0
/* Prints where the calls of main() and of two threads return: what, file and offset in it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static void where(const char *what, void *address)
{
	unsigned long at = (unsigned long)address, begin, end, offset;
	char line[512], path[256];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &begin, &end, &offset, path) ==
			    4 &&
		    at >= begin && at < end)
			printf("%s %s %lx\n", what, path, at - begin + offset);
	if (maps)
		fclose(maps);
}

static void *run(void *argument)
{
	where("thread", __builtin_return_address(0));
	return argument;
}

static int run_c11(void *argument)
{
	where("thread", __builtin_return_address(0));
	return !!argument;
}

/* The C library calls it as it calls a thread's function, but goes on. */
static int compare(const void *a, const void *b)
{
	static int calls;

	if (!calls++)
		where("callback", __builtin_return_address(0));
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int numbers[] = { 3, 1, 2 };
	pthread_t thread;
	thrd_t c11;

	where("main", __builtin_return_address(0));
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	thrd_create(&c11, run_c11, NULL);
	thrd_join(c11, NULL);
	qsort(numbers, 3, sizeof(int), compare);
	return 0;
}
