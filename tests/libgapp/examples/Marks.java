// SPDX-License-Identifier: MIT
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Marks of a program in Java, without JNI. Without gapp's module there is no node, and nothing to do. */
public class Marks {
	private static FileOutputStream node;

	/** One write is one mark, of the thread that makes it. */
	static void tell(String line) throws IOException {
		if (node != null)
			node.write((line + "\n").getBytes(StandardCharsets.UTF_8));
	}

	public static void main(String[] arguments) throws IOException {
		try {
			node = new FileOutputStream(arguments.length > 0 ? arguments[0] : "/dev/gapp_mark", true);
		} catch (IOException none) {
			node = null;
		}
		tell("begin from Java");
		tell("mark half way");
		tell("end from Java");
	}
}
