// SPDX-License-Identifier: GPL-2.0
/* Computes until the JVM has compiled what computes, and prints its process id. */
public class Compact {
	static int compact(int rounds) {
		int x = 1;

		for (int i = 0; i < rounds; i++)
			x = (x * 31 + i) % 1000003;
		return x;
	}

	public static void main(String[] arguments) {
		long sum = 0;

		for (int i = 0; i < 3000; i++)
			sum += compact(20000);
		System.out.println(ProcessHandle.current().pid() + " " + sum);
	}
}
