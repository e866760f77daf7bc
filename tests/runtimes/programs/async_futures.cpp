// SPDX-License-Identifier: GPL-2.0
/*
 * std::async: five tasks of the same size and one that takes ten times as long, for which main() waits
 * when the others have long ended: index_archive().
 */
#include <future>
#include <vector>

#include "burn.hpp"

static OUT_OF_LINE int index_mailbox()
{
	BURN(100);
	return 1;
}

static OUT_OF_LINE int index_archive()
{
	BURN(1000);
	return 1;
}

int main()
{
	std::vector<std::future<int>> indexed;
	int sum = 0;

	indexed.push_back(std::async(std::launch::async, index_archive));
	for (int i = 0; i < 5; i++)
		indexed.push_back(std::async(std::launch::async, index_mailbox));
	for (auto &one : indexed)
		sum += one.get();
	return sum != 6;
}
