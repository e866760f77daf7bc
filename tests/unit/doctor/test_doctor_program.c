// SPDX-License-Identifier: GPL-2.0
/* What is said of programs, processes and their files. */
#include "fake_system.h"

#include <elf.h>
#include <errno.h>

#include "doctor/access.h"
#include "doctor/program.h"

static const struct symbol_sources symbols;
static const struct debug_sources sources;
static char program[512];

/* A file that may be executed, with that content. */
static void put_program(const char *name, const void *content, size_t bytes)
{
	FILE *file;

	snprintf(program, sizeof(program), "%s/%s", fake_root, name);
	file = fopen(program, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(content, 1, bytes, file), bytes);
	fclose(file);
	assert_int_equal(chmod(program, 0755), 0);
}

static void look(void)
{
	findings_free(&answers);
	program_findings(&answers, program, &symbols, &sources);
	assert_string_equal(answers.list[0].subject, program);
}

/* Is that said, and a command that begins like this and ends with the program's path? */
static void is_of_path(const char *check, const char *text, const char *before)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s%s", before, program);
	is(check, FINDING_PROBLEM, text, command);
}

static Elf32_Ehdr elf_32(u16 type, u16 machine)
{
	return (Elf32_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
					  ELFDATA2LSB, EV_CURRENT },
			     .e_type = type,
			     .e_machine = machine,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(Elf32_Ehdr) };
}

static void look_at_32(u16 type, u16 machine)
{
	const Elf32_Ehdr elf = elf_32(type, machine);

	put_program("of-32-bits", &elf, sizeof(elf));
	look();
}

/* Those whose programs of 32 bits this machine can execute, and others. */
#ifdef __x86_64__
static const u16 machines_here[] = { EM_386, EM_X86_64 };
static const u16 machines_elsewhere[] = { EM_ARM, EM_MIPS };
#else
static const u16 machines_here[] = { EM_ARM };
static const u16 machines_elsewhere[] = { EM_386, EM_X86_64, EM_MIPS };
#endif

/* gapp works with it, but for its call paths. */
static void a_program_of_32_bits_is_no_problem(void **state)
{
	const char *said = "code of 32 bits: all times are right, but gapp finds no call paths";

	for (size_t i = 0; i < ARRAY_SIZE(machines_here); i++) {
		look_at_32(ET_EXEC, machines_here[i]);
		is("unwind table", FINDING_WARNING, said, NULL);
		look_at_32(ET_DYN, machines_here[i]);
		is("unwind table", FINDING_WARNING, said, NULL);
	}
	assert_int_equal(findings_count(&answers, FINDING_PROBLEM), 0);
}

static void what_is_no_program_is_a_problem(void **state)
{
	const char *said = "it is no program or library of 64 bits of x86-64 or aarch64";
	Elf32_Ehdr elf = elf_32(ET_EXEC, machines_here[0]);

	for (size_t i = 0; i < ARRAY_SIZE(machines_elsewhere); i++) {
		look_at_32(ET_EXEC, machines_elsewhere[i]);
		is_of_path("unwind table", said, "readelf -h ");
	}
	look_at_32(ET_REL, machines_here[0]);
	is_of_path("unwind table", said, "readelf -h ");
	elf.e_ident[EI_CLASS] = ELFCLASS64;
	put_program("of-nothing", &elf, sizeof(elf));
	look();
	is_of_path("unwind table", said, "readelf -h ");
	elf.e_ident[EI_DATA] = ELFDATA2MSB;
	elf.e_ident[EI_CLASS] = ELFCLASS32;
	put_program("big-endian", &elf, sizeof(elf));
	look();
	is_of_path("unwind table", said, "readelf -h ");
	put_program("text", "echo\n", 5);
	look();
	is("unwind table", FINDING_PROBLEM, "nor a script whose first line (#!) names its", NULL);
}

static void a_program_that_is_not_found(void **state)
{
	snprintf(program, sizeof(program), "%s/nowhere", fake_root);
	look();
	is_of_path("program", "there is no such program", "namei -l ");
	put_program("text", "", 0);
	strcat(program, "/below");
	look();
	is_of_path("program", "its path leads to no program", "namei -l ");
	put_program("text", "", 0);
	chmod(program, 0644);
	look();
	is_of_path("program", "it is no file that you may execute", "namei -l ");
	snprintf(program, sizeof(program), "%s/.", fake_root);
	look();
	is_of_path("program", "it is no program, but a folder", "namei -l ");
	assert_null(strstr(answer("program")->text, "chmod"));
	strcpy(program, "");
	look();
	is("program", FINDING_PROBLEM, "the empty word is the name of no program", NULL);
	strcpy(program, "no such program");
	look();
	is("program", FINDING_PROBLEM, "no folder of PATH has such a program",
	   "type -a 'no such program'");
	put_program("script", "#!/no/such/interpreter\n", 23);
	look();
	assert_string_equal(answers.list[1].check, "program");
	assert_non_null(strstr(answers.list[1].text, "/no/such/interpreter cannot be read"));
	assert_string_equal(answers.list[1].command, "namei -l /no/such/interpreter");
}

static void a_path_that_is_too_long(void **state)
{
	char path[2 * PATH_MAX];

	memset(path, '\'', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	program_findings(&answers, path, &symbols, &sources);
	is("program", FINDING_PROBLEM, "its path leads to no program", NULL);
}

static void see_file(int error)
{
	const struct file_state file = { .path = "/a b", .unwind_error = error };

	findings_free(&answers);
	file_findings(&answers, &file, &sources);
}

static void a_file_that_cannot_be_read(void **state)
{
	see_file(EACCES);
	is("unwind table", FINDING_PROBLEM, "it cannot be read: Permission denied",
	   "sudo gapp-read doctor '/a b'");
	see_file(ENOENT);
	is("unwind table", FINDING_PROBLEM, "removed or replaced: start the program again", NULL);
	see_file(EIO);
	is("unwind table", FINDING_PROBLEM, "Input/output error; the kernel's log may say why",
	   "sudo dmesg | tail");
}

/* After the file was found, before it is opened. */
static void a_file_that_is_gone(void **state)
{
	struct objects *objects = objects_new();
	struct file_state file;
	struct object *object;
	struct stat stat_of;

	put_program("gone", "", 0);
	assert_int_equal(stat(program, &stat_of), 0);
	object = objects_hold(objects, program, stat_of.st_dev, stat_of.st_ino, 0);
	assert_non_null(object);
	unlink(program);
	file_state_read(&file, object, &symbols);
	assert_int_equal(file.unwind_error, ENOENT);
	assert_string_equal(file.path, program);
	/* another file has its path */
	put_program("gone", "new", 3);
	assert_int_equal(stat(program, &stat_of), 0);
	object->inode = stat_of.st_ino + 1;
	file_state_read(&file, object, &symbols);
	assert_int_equal(file.unwind_error, ENOENT);
	objects_free(objects);
}

static void follow(int may)
{
	findings_free(&answers);
	follow_findings(&answers, 7, may);
}

static void processes_that_cannot_be_followed(void **state)
{
	follow(0);
	is("process", FINDING_OK, "you may follow it", NULL);
	follow(EOPNOTSUPP);
	is("process", FINDING_PROBLEM, "it is a kernel thread", NULL);
	assert_non_null(strstr(answer("process")->text, "give its name to --kthreads"));
	follow(ESRCH);
	is("process", FINDING_PROBLEM, "it has exited: give a process that runs", "ps -ef");
	follow(EPERM);
	is("process", FINDING_PROBLEM, "it is not yours", "sudo gapp-read doctor -p 7");
	follow(ENOMEM);
	is("process", FINDING_PROBLEM, "Cannot allocate memory; the kernel's log may say why",
	   "sudo dmesg | tail");
	findings_free(&answers);
	/* more than the kernel's largest */
	process_findings(&answers, 4999999, false, &symbols, &sources);
	is("process", FINDING_PROBLEM, "there is no such process: give one that runs", "ps -ef");
}

static void libraries_of_32_bits(void **state)
{
	const struct file_state of_64 = { .path = "/a", .table_bytes = 1 };
	const struct file_state of_32 = { .path = "/b",
					  .kind = FILE_ELF_32,
					  .unwind_error = ENOEXEC };
	struct library_sums sums = { 0 };

	library_sums_add(&sums, "a", &of_64);
	library_sums_add(&sums, "b", &of_32);
	library_findings(&answers, &sums);
	is("libraries", FINDING_WARNING, "1 of its 2 libraries have code of 32 bits", NULL);
	assert_int_equal(answers.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(a_program_of_32_bits_is_no_problem),
		machine_test(what_is_no_program_is_a_problem),
		machine_test(a_program_that_is_not_found),
		machine_test(a_path_that_is_too_long),
		machine_test(a_file_that_cannot_be_read),
		machine_test(a_file_that_is_gone),
		machine_test(processes_that_cannot_be_followed),
		machine_test(libraries_of_32_bits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
