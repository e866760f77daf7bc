// SPDX-License-Identifier: GPL-2.0
/* Prints where main(), a thread and a callback return to in libc, and libc's path. */

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *in_thread, *in_once;

static void once(void)
{
	in_once = __builtin_return_address(0);
}

static void *thread(void *unused)
{
	in_thread = __builtin_return_address(0);
	return unused;
}

static int find(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so"))
		*(struct dl_phdr_info *)found = *info;
	return 0;
}

int main(void)
{
	static pthread_once_t control = PTHREAD_ONCE_INIT;
	struct dl_phdr_info libc = { .dlpi_name = "none" };
	void *in_main = __builtin_return_address(0);
	pthread_t id;

	dl_iterate_phdr(find, &libc);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	pthread_once(&control, once);

	printf("%lx %lx %lx %s\n", in_main - (void *)libc.dlpi_addr,
	       in_thread - (void *)libc.dlpi_addr, in_once - (void *)libc.dlpi_addr,
	       libc.dlpi_name);
}
