# SPDX-License-Identifier: GPL-2.0
"""Writes the library that loader.c loads: many small functions, each behind an entry of the PLT."""

COUNT = 50

print("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>")
for i in range(COUNT):
    print("""
__attribute__((noinline)) long part_%d(long a)
{
	char text[32];
	snprintf(text, sizeof(text), "%%ld", a + %d);
	return (long)strlen(text) + labs(a) %% (%d + 1) + atol(text);
}""" % (i, i, i))
print("\nlong call_all(long sum)\n{")
for i in range(COUNT):
    print("\tsum = part_%d(sum);" % i)
print("\treturn sum + clock() % 3;\n}")
