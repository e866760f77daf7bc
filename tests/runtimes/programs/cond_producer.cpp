// SPDX-License-Identifier: GPL-2.0
/*
 * std::condition_variable: one producer takes longer for an entry than three consumers together, who wait
 * for it: parse_entry().
 */
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "burn.hpp"

#define ENTRIES 30

static std::mutex lock;
static std::condition_variable entry_parsed;
static std::deque<int> entries;

static OUT_OF_LINE int parse_entry()
{
	BURN(30);
	return 1;
}

static OUT_OF_LINE void store_entry()
{
	BURN(5);
}

static OUT_OF_LINE int take_entry()
{
	std::unique_lock<std::mutex> held(lock);
	int entry;

	entry_parsed.wait(held, [] { return !entries.empty(); });
	entry = entries.front();
	entries.pop_front();
	return entry;
}

static OUT_OF_LINE void put_entry(int entry)
{
	{
		std::lock_guard<std::mutex> held(lock);

		entries.push_back(entry);
	}
	entry_parsed.notify_one();
}

int main()
{
	std::vector<std::thread> consumers;

	for (int i = 0; i < 3; i++)
		consumers.emplace_back([] {
			while (take_entry())
				store_entry();
		});
	for (int i = 0; i < ENTRIES; i++)
		put_entry(parse_entry());
	for (int i = 0; i < 3; i++)
		put_entry(0);
	for (auto &one : consumers)
		one.join();
	return 0;
}
