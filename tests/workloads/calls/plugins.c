// SPDX-License-Identifier: GPL-2.0
/*
 * Loads one library after the other, calls a function of it so often that calls
 * back, computes and sleeps there, and unloads it: mostly to addresses where
 * another one was before. A second thread computes now and then, so that there is more
 * than one to follow.
 *
 * A path: compute() or libc, pause_a_while() or compute(), callback(),
 * plugin_work_N(), use_plugin(), main().
 *
 * Usage: plugins FOLDER [rounds=1000] [calls=1] [units=100]
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "calls.h"

#define PLUGINS 4

static unsigned long calls, units;
static atomic_int over;

static in_frame void compute(void)
{
	burn(units);
	STAY();
}

static in_frame void pause_a_while(void)
{
	sleep_us(200);
	STAY();
}

static in_frame int callback(void)
{
	compute();
	pause_a_while();
	STAY();
	return 0;
}

static void fail(void)
{
	fprintf(stderr, "plugins: %s\n", dlerror());
	exit(1);
}

static in_frame void use_plugin(const char *folder, unsigned int number)
{
	/* static: the stack is small enough to go along whole */
	static char file[4096], name[32];
	int (*work)(int (*callback)(void), int call_padding);
	void *library;

	snprintf(file, sizeof(file), "%s/libplugin%u.so", folder, number);
	snprintf(name, sizeof(name), "plugin_work_%u", number);
	library = dlopen(file, RTLD_NOW);
	if (!library)
		fail();
	work = (typeof(work))dlsym(library, name);
	if (!work)
		fail();
	for (unsigned long i = 0; i < calls; i++)
		work(callback, number == 2);
	if (dlclose(library))
		fail();
}

static void *other(void *arg)
{
	while (!over) {
		burn(20);
		sleep_us(1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long rounds = arg_or(argc, argv, 2, 1000);
	pthread_t thread;

	if (argc < 2) {
		errno = EINVAL;
		die("folder");
	}
	calls = arg_or(argc, argv, 3, 1);
	units = arg_or(argc, argv, 4, 100);
	start_thread(&thread, other, NULL);
	for (unsigned long i = 0; i < rounds; i++)
		use_plugin(argv[1], (i * 7 + i / 5) % PLUGINS);
	over = 1;
	pthread_join(thread, NULL);
	return 0;
}
