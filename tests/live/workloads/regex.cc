// SPDX-License-Identifier: GPL-2.0
/* The C++ library: regular expressions, sorting, maps, streams. */
#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

int main()
{
	std::mt19937 random(1);
	volatile size_t sum = 0;

	for (;;) {
		std::vector<std::string> words;
		std::map<std::string, int> count;
		std::ostringstream all;

		for (int i = 0; i < 400; i++)
			words.push_back("w" + std::to_string(random() % 5000) + "@x.org");
		std::sort(words.begin(), words.end(),
			  [](const std::string &a, const std::string &b) { return a > b; });
		for (const auto &word : words) {
			count[word]++;
			all << word << ' ' << word.size() / 3.0 << '\n';
		}
		std::string text = all.str();
		std::regex pattern("w([0-9]+)@(x|y)\\.(org|net) ([0-9.]+)");
		for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
			sum += (*at)[1].length();
	}
}
