// SPDX-License-Identifier: GPL-2.0
/* What is said of rights, the device, the kernel and its clock. */
#include "fake_system.h"

#include <errno.h>

#include "doctor/access.h"
#include "doctor/libraries.h"
#include "doctor/machine.h"

#define CLOCK "/sys/devices/system/clocksource/clocksource0/"
#define OWN_MAP "         0          0 4294967295\n"
/* Bits 38, 34, 21 and 14. */
#define PERFMON 0x4000000000ULL
#define SYSLOG 0x400000000ULL
#define ADMIN 0x200000ULL
#define LOCK 0x4000ULL
#define RENEW "sudo renew gapp"

static const struct rights root = { .capabilities = PERFMON | SYSLOG, .known = true };
static const struct rights user = { .user = 1000, .known = true };

static struct rights parsed(const char *status, const char *map)
{
	struct rights rights;

	rights_parse(&rights, status, map);
	return rights;
}

static void rights_are_read(void **state)
{
	const char *status =
		"Name:\tx\nUid:\t1000\t0\t0\t0\nCapInh:\tffff\nCapEff:\t0000004000200000\n";
	struct rights rights = parsed(status, OWN_MAP);

	assert_true(rights.known);
	assert_int_equal(rights.user, 1000);
	assert_int_equal(rights.capabilities, PERFMON | ADMIN);
	assert_true(rights_may_profile(&rights));
	/* in a user namespace of one's own they are worth nothing here */
	rights = parsed(status, "         0       1000          1\n");
	assert_true(rights.known && !rights.capabilities);
	rights = parsed(status, NULL);
	assert_false(rights.known);
	rights = parsed(NULL, OWN_MAP);
	assert_false(rights.known);
	rights = parsed("Uid:\t0\nCapEff:\t0000000000200000\n", OWN_MAP);
	assert_true(rights_may_profile(&rights));
	rights = parsed("Uid:\t0\nCapEff:\t0000000400000000\n", OWN_MAP);
	assert_false(rights_may_profile(&rights));
}

static void ask(struct access access, const struct rights *rights)
{
	findings_free(&answers);
	access_findings(&answers, &fake, &access, rights);
}

static struct access works(void)
{
	return (struct access){
		.loaded = true,
		.loaded_known = true,
		.renew = RENEW,
		.abi = { .major = GAPP_ABI_MAJOR, .minor = GAPP_ABI_MINOR, .version = "0.1.0" },
		.ring_kib = GAPP_DEFAULT_RING >> 10
	};
}

static void a_device_that_works(void **state)
{
	ask(works(), &root);
	is("device", FINDING_OK, "you may open /dev/gapp", NULL);
	is("abi", FINDING_OK, "fits", NULL);
	is("rights", FINDING_OK, "every process (CAP_PERFMON)", NULL);
	is("session", FINDING_OK, "can be set up", NULL);
	ask(works(), &user);
	is("rights", FINDING_WARNING, "a session is restricted: your own processes only",
	   "sudo gapp-read doctor");
}

static void a_device_that_is_missing(void **state)
{
	struct access access = {
		.open = ENOENT, .loaded_known = true, .get_abi = NOT_TRIED, .configure = NOT_TRIED
	};

	ask(access, &root);
	is("device", FINDING_UNKNOWN, "until the module is loaded", NULL);
	is("abi", FINDING_UNKNOWN, "cannot be asked", NULL);
	assert_int_equal(findings_count(&answers, FINDING_PROBLEM), 0);
	/* nothing else tells then */
	access.loaded_known = false;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "until the module is loaded", "sudo modprobe gapp");
	access.loaded_known = true;
	access.loaded = true;
	access.minor = 125;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "is missing here",
	   "sudo rm -f /dev/gapp && sudo mknod -m 600 /dev/gapp c 10 125");
	access.minor = 0;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "is missing here", "sudo rmmod gapp && sudo modprobe gapp");
	access.open = EACCES;
	ask(access, &user);
	is("device", FINDING_PROBLEM, "you (user 1000) may not open /dev/gapp",
	   "sudo gapp-read doctor");
	access.open = EPERM;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "a container is given the device when it is started",
	   "docker run --device /dev/gapp --cap-add PERFMON IMAGE");
	put("/run/.containerenv", "");
	ask(access, &root);
	is("device", FINDING_PROBLEM, "by a command on the host",
	   "podman run --device /dev/gapp --cap-add PERFMON IMAGE");
	access.open = EUSERS;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "end one of them", "sudo cat /proc/gapp/sessions");
}

/* Nothing but the errno is known of it. */
static void errors_without_a_rule(void **state)
{
	struct access access = works();

	access.configure = EIO;
	ask(access, &root);
	is("session", FINDING_PROBLEM,
	   "can be set up: Input/output error; the kernel's log may say why", "sudo dmesg | tail");
	access.open = EMFILE;
	ask(access, &root);
	is("device", FINDING_PROBLEM, "Too many open files; the kernel's log may say why",
	   "sudo dmesg | tail");
}

static void another_abi(void **state)
{
	struct access access = works();

	access.abi.major = GAPP_ABI_MAJOR + 1;
	access.configure = NOT_TRIED;
	ask(access, &root);
	is("abi", FINDING_PROBLEM, "has ABI 2.", RENEW);
	access = works();
	access.abi.minor--;
	ask(access, &root);
	is("abi", FINDING_WARNING, "knows more", RENEW);
	access.abi.minor += 2;
	ask(access, &root);
	is("abi", FINDING_OK, "fits", NULL);
	access.get_abi = ENOTTY;
	ask(access, &root);
	assert_int_equal(answer("abi")->level, FINDING_PROBLEM);
}

static void buffers_that_are_too_large(void **state)
{
	struct access access = works();

	access.ring_kib /= 2;
	ask(access, &user);
	is("session", FINDING_WARNING, "buffers of 512 KiB",
	   "echo 16384 | sudo tee /sys/module/gapp/parameters/mlock_kib");
	access.configure = ENOBUFS;
	ask(access, &user);
	is("session", FINDING_PROBLEM, "too low",
	   "echo 16384 | sudo tee /sys/module/gapp/parameters/mlock_kib");
	access.configure = EINVAL;
	ask(access, &user);
	is("session", FINDING_PROBLEM, "does not know", RENEW);
}

static void see_kernel(const struct rights *rights)
{
	struct access access = works();

	findings_free(&answers);
	kernel_findings(&answers, &fake, rights, &access);
}

static void the_kernels_addresses(void **state)
{
	struct access access = works();

	see_kernel(&root);
	is("kernel paths", FINDING_UNKNOWN, "cannot be read", NULL);
	put("/proc/sys/kernel/kptr_restrict", "1\n");
	see_kernel(&root);
	is("kernel paths", FINDING_OK, "(-k)", NULL);
	is("kernel locks", FINDING_OK, "and the locks have names", NULL);
	see_kernel(&user);
	is("kernel paths", FINDING_WARNING, "without CAP_PERFMON and CAP_SYSLOG",
	   "sudo gapp-read doctor");
	is("kernel locks", FINDING_OK, "have no names", NULL);
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	see_kernel(&root);
	is("kernel paths", FINDING_WARNING, "lockdown=confidentiality", NULL);
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	see_kernel(&root);
	is("kernel paths", FINDING_WARNING, "hides its addresses",
	   "sudo sysctl kernel.kptr_restrict=1");
	access.no_kernel_locks = true;
	findings_free(&answers);
	kernel_findings(&answers, &fake, &root, &access);
	is("kernel locks", FINDING_WARNING, "the reason of their system call", NULL);
}

static void remember(struct memory_limit memory, const struct rights *rights)
{
	findings_free(&answers);
	memory_findings(&answers, &memory, rights);
}

static void locked_memory(void **state)
{
	const struct memory_limit memory = {
		.limit = 8 << 20, .free_kib = 4096, .known = true, .cpus = 3
	};
	const struct rights locker = { .capabilities = LOCK, .known = true };

	remember(memory, &root);
	is("locked memory", FINDING_OK, "no limit of locked memory is yours", NULL);
	remember(memory, &locker);
	is("locked memory", FINDING_OK, "no limit of locked memory is yours", NULL);
	remember(memory, &user);
	is("locked memory", FINDING_OK, "may hold 12288 KiB for 3 CPUs (mlock_kib), and 8192 KiB",
	   NULL);
	remember((struct memory_limit){ .limit = 1024 }, &user);
	is("locked memory", FINDING_UNKNOWN, "is 1 KiB", NULL);
	remember((struct memory_limit){ .limit = UINT64_MAX }, &user);
	is("locked memory", FINDING_OK, "you have no limit", NULL);
}

static void see_clock(double ns)
{
	findings_free(&answers);
	clock_findings(&answers, &fake, ns);
}

static void the_clock(void **state)
{
	see_clock(0);
	is("clock", FINDING_UNKNOWN, "not known", NULL);
	put(CLOCK "current_clocksource", "tsc\n");
	see_clock(20);
	is("clock", FINDING_OK, "TSC", NULL);
	put(CLOCK "current_clocksource", "hpet\n");
	put(CLOCK "available_clocksource", "hpet acpi_pm tsc-early");
	see_clock(1234.4);
	is("clock", FINDING_WARNING,
	   "is hpet, not the TSC: gapp reads that clock about twice a switch, which takes about 1234 ns",
	   "sudo dmesg | grep -i -e tsc -e clocksource");
	is("clock", FINDING_WARNING,
	   "the firmware or the hypervisor keeps the TSC from the kernel, and no command here mends that",
	   "sudo dmesg | grep -i -e tsc -e clocksource");
	fake.machine = "aarch64";
	see_clock(51);
	is("clock", FINDING_OK, "takes about 51 ns a reading", NULL);
	fake.machine = "x86_64";
	put(CLOCK "available_clocksource", "hpet tsc acpi_pm ");
	see_clock(0);
	is("clock", FINDING_WARNING, "about twice a switch",
	   "echo tsc | sudo tee " CLOCK "current_clocksource");
	assert_null(strstr(answer("clock")->text, "the firmware"));
	run("rm %s" CLOCK "available_clocksource", fake_root);
	see_clock(0);
	is("clock", FINDING_WARNING, "about twice a switch", NULL);
	assert_null(strstr(answer("clock")->text, "the firmware"));
}

static void see_machine(void)
{
	findings_free(&answers);
	machine_findings(&answers, &fake);
}

static void the_kernel(void **state)
{
	const struct system before = fake;

	see_machine();
	is("kernel", FINDING_OK, "Linux " RELEASE, NULL);
	is("CPUs", FINDING_UNKNOWN, "not known", NULL);
	is("preemption", FINDING_OK, "without PREEMPT_RT", NULL);
	fake.release = "5.4.0";
	fake.build = "#1 SMP PREEMPT_RT Debian";
	put("/sys/devices/system/cpu/online", "0-2,7\n");
	see_machine();
	is("kernel", FINDING_PROBLEM,
	   "needs Linux 5.10 or later, and this kernel is 5.4.0: install",
	   "sudo apt-get install -y linux-image-amd64 && sudo reboot");
	is("CPUs", FINDING_OK, "4 CPUs", NULL);
	is("preemption", FINDING_OK, "has PREEMPT_RT", NULL);
	put("/sys/kernel/realtime", "0\n");
	put("/sys/devices/system/cpu/online", "0\n");
	fake.machine = "riscv64";
	see_machine();
	is("kernel", FINDING_PROBLEM, "is riscv64: record on a machine of these kinds", NULL);
	fake.machine = "aarch64";
	fake.release = before.release;
	see_machine();
	is("kernel", FINDING_OK, "on aarch64", NULL);
	is("CPUs", FINDING_WARNING, "one CPU", NULL);
	is("preemption", FINDING_OK, "without PREEMPT_RT", NULL);
	fake = before;
}

static void see_old_kernel(const char *distribution, const char *command)
{
	put("/etc/os-release", distribution);
	see_machine();
	is("kernel", FINDING_PROBLEM, "5.10 or later", command);
}

/* Each distribution has another name for the newest kernel that it has. */
static void a_newer_kernel_is_installed(void **state)
{
	const struct system before = fake;

	fake.release = "5.9.16";
	fake.machine = "aarch64";
	see_machine();
	is("kernel", FINDING_PROBLEM, "5.10 or later",
	   "sudo apt-get install -y linux-image-arm64 && sudo reboot");
	fake.machine = before.machine;
	see_old_kernel("ID=ubuntu\nVERSION_ID=\"20.04\"\n",
		       "sudo apt-get install -y linux-generic-hwe-20.04 && sudo reboot");
	/* its newest is 5.4 */
	see_old_kernel("ID=ubuntu\nVERSION_ID=\"18.04\"\n", NULL);
	/* without long support, and without such a kernel */
	see_old_kernel("ID=ubuntu\nVERSION_ID=\"22.10\"\n", NULL);
	see_old_kernel("ID=ubuntu\nVERSION_ID=\"23.04\"\n", NULL);
	see_old_kernel("ID=ubuntu\n", NULL);
	see_old_kernel("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"20.04\"\n", NULL);
	see_old_kernel("ID=linuxmint\nID_LIKE=debian\nVERSION_ID=\"4\"\n",
		       "sudo apt-get install -y linux-image-amd64 && sudo reboot");
	run("mv %s/usr/bin/apt-get %s/usr/bin/dnf", fake_root, fake_root);
	see_machine();
	is("kernel", FINDING_PROBLEM, "5.10 or later", "sudo dnf install -y kernel && sudo reboot");
	run("rm %s/usr/bin/dnf", fake_root);
	see_machine();
	is("kernel", FINDING_PROBLEM, "install a later one and boot it", NULL);
	fake.release = "5.10.0";
	see_machine();
	is("kernel", FINDING_OK, "Linux 5.10.0", NULL);
	fake = before;
}

static void releases_are_compared(void **state)
{
	assert_true(release_is_at_least("6.1.0-amd64", 6, 1));
	assert_true(release_is_at_least("6.12", 6, 2));
	assert_true(release_is_at_least("7.0-rc1", 6, 12));
	assert_false(release_is_at_least("6.9.1", 6, 12));
	assert_false(release_is_at_least("5.19", 6, 1));
	assert_false(release_is_at_least("x", 6, 1));
	assert_int_equal(list_count("0"), 1);
	assert_int_equal(list_count("0-3,8,10-11"), 7);
	assert_int_equal(list_count(""), 0);
	assert_int_equal(list_count("3-1"), 0);
	assert_int_equal(list_count("0-3;8"), 0);
}

static void see_hardware(struct hardware hardware)
{
	findings_free(&answers);
	hardware_findings(&answers, &fake, &hardware, true);
}

static void breakpoints_and_counters(void **state)
{
	const struct system before = fake;

	see_hardware((struct hardware){ .every_cpu = true, .seen = 1 });
	is("breakpoints", FINDING_OK, "each CPU tells", NULL);
	is("counters", FINDING_OK, "cycles and instructions are there", NULL);
	see_hardware((struct hardware){
		.break_error = ENOSPC, .cycles = ENOENT, .instructions = EOPNOTSUPP });
	is("breakpoints", FINDING_WARNING, "a debugger", NULL);
	is("counters", FINDING_OK, "are not there", NULL);
	see_hardware((struct hardware){ .break_error = EACCES, .cycles = EACCES });
	is("breakpoints", FINDING_UNKNOWN, "not known", "sudo gapp-read doctor");
	is("counters", FINDING_UNKNOWN, "not known", NULL);
	see_hardware((struct hardware){ .seen = 0, .cycles = ENOENT });
	is("breakpoints", FINDING_WARNING, "of one store into a watched word 0 were told", NULL);
	is("counters", FINDING_OK, "instructions is there, and none of cycles", NULL);
	see_hardware((struct hardware){ .break_error = ENOENT });
	is("breakpoints", FINDING_WARNING, "cannot be had", NULL);
	fake.build = "#1 SMP PREEMPT_RT";
	fake.release = "6.6.1-rt";
	see_hardware((struct hardware){ .every_cpu = true, .seen = 1 });
	is("breakpoints", FINDING_WARNING, "before Linux 6.12", NULL);
	fake.release = "6.12.1-rt";
	see_hardware((struct hardware){ .every_cpu = true, .seen = 1 });
	is("breakpoints", FINDING_OK, "each CPU tells", NULL);
	fake = before;
	fake.machine = "aarch64";
	see_hardware((struct hardware){ .every_cpu = true, .seen = 1 });
	is("breakpoints", FINDING_WARNING, "on aarch64 gapp watches no words", NULL);
	fake = before;
}

static void see_helpers(struct helpers helpers, bool may_profile)
{
	findings_free(&answers);
	helpers_findings(&answers, &fake, &helpers, may_profile);
}

static void libraries(void **state)
{
	see_helpers((struct helpers){ .capstone = true, .debuginfod = true }, true);
	is("libcapstone", FINDING_OK, "busy-wait loops are found", NULL);
	is("libdebuginfod", FINDING_OK, "names no servers", NULL);
	is("perf events", FINDING_OK, "mappings", NULL);
	see_helpers((struct helpers){ .servers = true, .sideband = "not permitted" }, false);
	assert_int_equal(answer("libcapstone")->level, FINDING_WARNING);
	assert_non_null(
		strstr(answer("libcapstone")->command, "sudo apt-get install -y libcapstone"));
	is("libdebuginfod", FINDING_WARNING, "DEBUGINFOD_URLS is set",
	   "sudo apt-get install -y libdebuginfod1");
	is("perf events", FINDING_WARNING, "from /proc alone",
	   "sudo sysctl kernel.perf_event_paranoid=0");
	see_helpers((struct helpers){ .capstone = true }, true);
	is("libdebuginfod", FINDING_OK, "is missing", NULL);
	fake.machine = "aarch64";
	see_helpers((struct helpers){ .capstone = true }, true);
	is("libcapstone", FINDING_WARNING, "in code of x86-64 only", NULL);
	fake.machine = "x86_64";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_are_read),
		machine_test(a_device_that_works),
		machine_test(a_device_that_is_missing),
		machine_test(errors_without_a_rule),
		machine_test(another_abi),
		machine_test(buffers_that_are_too_large),
		machine_test(the_kernels_addresses),
		machine_test(locked_memory),
		machine_test(the_clock),
		machine_test(the_kernel),
		machine_test(a_newer_kernel_is_installed),
		cmocka_unit_test(releases_are_compared),
		machine_test(breakpoints_and_counters),
		machine_test(libraries),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
