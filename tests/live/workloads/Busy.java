// SPDX-License-Identifier: GPL-2.0
// Code that is generated while it runs, a collector of garbage, locks, in several threads.

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Busy {
	static final Object lock = new Object();
	static long total;

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void work(int seed) {
		for (int round = seed;; round++) {
			List<String> words = new ArrayList<>();
			Map<String, Integer> count = new HashMap<>();
			for (int i = 0; i < 500; i++)
				words.add("w" + (i * 7919 + round) % 1009);
			Collections.sort(words);
			for (String word : words)
				count.merge(word, 1, Integer::sum);
			int some = fib(15) + count.size();
			synchronized (lock) {
				total += some;
			}
		}
	}

	public static void main(String[] args) {
		for (int i = 0; i < 3; i++) {
			int seed = i;
			new Thread(() -> work(seed)).start();
		}
	}
}
