// SPDX-License-Identifier: GPL-2.0
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A synchronized method: three threads compute, and each now and then calls compactJournal(), which
 * takes longer than what they do in parallel. Work is by the clock, for the code gets quicker as the
 * program runs. Arguments: how long, in ms, and the node for marks, if it shall make any.
 */
public final class Journal {
	private static final int THREADS = 3;
	private static long entries;
	private static FileOutputStream marks;

	/** One write is one mark, of the thread that makes it. */
	private static void mark(String line) {
		if (marks == null) {
			return;
		}
		try {
			marks.write((line + "\n").getBytes(StandardCharsets.UTF_8));
		} catch (IOException why) {
			throw new UncheckedIOException(why);
		}
	}

	private static void readEntry() {
		long end = System.nanoTime() + 10 * 1000000;
		long x = 1;
		while (System.nanoTime() < end) {
			for (int i = 0; i < 20000; i++) {
				x = x * 6364136223846793005L + 1;
			}
		}
	}

	private static synchronized void compactJournal() {
		mark("begin compact");
		long end = System.nanoTime() + 50 * 1000000;
		long x = 1;
		while (System.nanoTime() < end) {
			for (int i = 0; i < 20000; i++) {
				x = x * 6364136223846793005L + 1;
			}
		}
		entries += x | 1;
		mark("end compact");
	}

	private static void work(long end) {
		while (System.nanoTime() < end) {
			readEntry();
			compactJournal();
		}
	}

	public static void main(String[] arguments) throws InterruptedException, IOException {
		if (arguments.length > 1) {
			marks = new FileOutputStream(arguments[1], true);
		}
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000;
		Thread[] threads = new Thread[THREADS];
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread(() -> work(end), "writer-" + i);
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		if (entries == 0) {
			throw new AssertionError("nothing was done");
		}
	}
}
