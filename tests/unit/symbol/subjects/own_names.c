// SPDX-License-Identifier: GPL-2.0
/* Functions of a program's own with names that the C library has as well. */
int counter;

__attribute__((noinline)) void thread_start(void)
{
	counter += 2;
}

#ifndef OWN_THREADS_ONLY
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

__attribute__((noinline)) void start_thread(void)
{
	counter += 3;
}

__attribute__((noinline)) int clone(void)
{
	return counter += 5;
}

__attribute__((noinline)) int clone3(void)
{
	return counter += 7;
}
#endif

int main(void)
{
	thread_start();
	return counter != 2;
}
