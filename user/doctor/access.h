/* SPDX-License-Identifier: GPL-2.0 */
/* What the device lets this user do. */
#ifndef GAPP_READ_DOCTOR_ACCESS_H
#define GAPP_READ_DOCTOR_ACCESS_H

#include <gapp.h>

#include "findings.h"
#include "system.h"

/* Errors of a step that was not taken. */
#define NOT_TRIED (-1)

/**
 * struct rights - what the kernel lets this process do
 * @user: user id
 * @capabilities: effective capabilities in the initial user namespace, a bit each
 * @known: @capabilities are
 */
struct rights {
	u32 user;
	u64 capabilities;
	bool known;
};

/* Reads them from texts like /proc/self/status and /proc/self/uid_map; NULL: not readable. */
void rights_parse(struct rights *rights, const char *status, const char *uid_map);
void rights_read(struct rights *rights, const struct system *system);
/* Whether sessions of this process are not restricted. */
bool rights_may_profile(const struct rights *rights);

/**
 * struct access - what became of each step up to a session; errnos, 0: it was done
 * @loaded: the module is loaded
 * @loaded_known: that can be told
 * @renew: the command after which another module is loaded, one that fits this reader
 * @minor: of the node, as /proc/misc has it; 0: not known
 * @open: of opening the node
 * @get_abi: of asking for the ABI
 * @abi: the module's
 * @configure: of setting up a session as `gapp-read record` does
 * @no_kernel_locks: the kernel does not tell which of its locks a thread waits for
 * @lacked: ENOBUFS or ENOMEM, why it is not the usual size
 * @ring_kib: size of a CPU's buffer that could be had
 */
struct access {
	bool loaded;
	bool loaded_known;
	const char *renew;
	u32 minor;
	int open;
	int get_abi;
	struct gapp_abi abi;
	int configure;
	bool no_kernel_locks;
	int lacked;
	u32 ring_kib;
};

/*
 * Takes the steps, each if the one before was done; records nothing. @access: with what is known of
 * the module.
 */
void access_try(struct access *access, const struct system *system);
/* Whether a session could be set up. */
bool access_works(const struct access *access);

/* Where kernel paths and the names of the kernel's locks come from. */
void kernel_findings(struct findings *findings, const struct system *system,
		     const struct rights *rights, const struct access *access);
void access_findings(struct findings *findings, const struct system *system,
		     const struct access *access, const struct rights *rights);
/**
 * struct memory_limit - what a restricted session's buffers count against
 * @limit: RLIMIT_MEMLOCK in bytes; UINT64_MAX: none
 * @free_kib: KiB for each CPU that do not count (the parameter mlock_kib); 0 if not @known
 * @known: @free_kib is
 * @cpus: CPUs online
 */
struct memory_limit {
	u64 limit;
	u64 free_kib;
	bool known;
	u32 cpus;
};

/* The limit of locked memory. */
void memory_findings(struct findings *findings, const struct memory_limit *memory,
		     const struct rights *rights);

#endif /* GAPP_READ_DOCTOR_ACCESS_H */
