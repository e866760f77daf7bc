// SPDX-License-Identifier: GPL-2.0
/* A library that is loaded and unloaded all the time; each of its calls is bound at the first use.
 */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long (*call_all)(long sum);
	void *library;
	long sum = 0;

	if (argc != 2)
		return 2;
	for (;;) {
		library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
		if (!library)
			return 1;
		call_all = (long (*)(long))dlsym(library, "call_all");
		if (!call_all)
			return 1;
		sum += call_all(sum);
		dlclose(library);
	}
}
