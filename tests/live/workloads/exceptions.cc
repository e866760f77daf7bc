// SPDX-License-Identifier: GPL-2.0
/* Exceptions that are thrown far down, and cleanups on their way. */
#include <stdexcept>
#include <string>
#include <vector>

static volatile long work;

struct guard {
	std::string text;
	explicit guard(int i) : text(std::to_string(i) + " is long enough to be allocated") {}
	~guard() { work += text.size(); }
};

static __attribute__((noinline)) int thrower(int depth, int kind)
{
	guard here(depth);

	if (depth)
		return thrower(depth - 1, kind) + 1;
	if (kind % 3 == 0)
		throw std::runtime_error(here.text);
	if (kind % 3 == 1)
		throw kind;
	return kind;
}

static __attribute__((noinline)) int again(int kind)
{
	try {
		return thrower(kind % 20, kind);
	} catch (const std::exception &) {
		if (kind & 8)
			throw;
		return 1;
	}
}

int main()
{
	for (int i = 0;; i++) {
		try {
			work += again(i);
		} catch (int value) {
			work += value;
		} catch (...) {
			work += 2;
		}
	}
}
