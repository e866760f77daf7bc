// SPDX-License-Identifier: GPL-2.0
/* A signal every 200 us, wherever the program is: in its code, in the PLT, in libc. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile double sum;
static volatile unsigned int seen;

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void on_alarm(int signal)
{
	int numbers[40];
	unsigned int i;

	for (i = 0; i < 40; i++)
		numbers[i] = (i * 7919 + signal) % 101;
	qsort(numbers, 40, sizeof(numbers[0]), by_value);
	seen += numbers[20];
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	char text[64];
	unsigned int i;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 1;; i++) {
		snprintf(text, sizeof(text), "%u %g", i, sin(i) / i);
		sum += strtod(strchr(text, ' '), NULL) + strlen(text);
	}
}
