/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What teach.c works on: a module and a compiler of tables that are made up, and
 * a process that maps what it is told to. A file's first letter says what the
 * compiler makes of it: 'n' and 'N' no call frame information, 'x' no ELF file,
 * 'L' a table of LARGE_BYTES, any other a small table. A table names its file's
 * inode. Files with an 'N', 'S', 'T' or 'R' have a loop, those with an 'R' have it
 * in the cache. A spin table's range begins at loop_of() its file.
 */
#ifndef GAPP_TESTS_TEACH_RIG_H
#define GAPP_TESTS_TEACH_RIG_H

#include "made_up.h"

#include <gapp.h>

#define MODULE_FD 77
#define MODULE_TABLES 512
#define MODULE_SPACES 8
#define PLACES 512
/* Two of these are more rows than the reader keeps. */
#define LARGE_BYTES (40U << 20)

/**
 * struct module_space - what a process maps, as it was told
 * @pid: the process
 * @count: of @maps
 * @maps: as they were set last
 */
struct module_space {
	pid_t pid;
	u32 count;
	struct gapp_mapping maps[PLACES];
};

/**
 * struct module - what was asked of it, and what it is to say; zero: everything works
 * @image: of every process
 * @inode: of each table by its number, 0: it is free. Of a spin table loop_of()
 * @is_spin: it is a spin table
 * @tables: that it holds
 * @room: for so many; 0: for all
 * @spaces: processes
 * @asked: for an image
 * @set: mappings
 * @loaded: tables, ever
 * @dropped: tables
 * @stale: times that a process executes another program before its mappings are set
 * @no_spins: there is no room for spin tables
 * @gone: no process is followed
 * @old: it knows nothing of tables
 */
struct module {
	u32 image;
	u64 inode[MODULE_TABLES];
	bool is_spin[MODULE_TABLES];
	u32 tables;
	u32 room;
	struct module_space spaces[MODULE_SPACES];
	u32 asked;
	u32 set;
	u32 loaded;
	u32 dropped;
	u32 stale;
	bool no_spins;
	bool gone;
	bool old;
};

extern struct module module;

/* The mapping that was set at an address; NULL: none. */
const struct gapp_mapping *module_map(pid_t pid, u64 address);
/* The process was told of. */
bool module_knows(pid_t pid);
/* The inode that the table there names; 0: none. */
u64 module_inode(pid_t pid, u64 address);

static inline u64 loop_of(u64 inode, char letter)
{
	return inode << 8 | letter;
}

/* What the spin table there begins with; 0: none. */
u64 module_loop(pid_t pid, u64 address);

/* The compiler makes nothing until it is let go again. */
void compiler_hold(bool hold);
/* Files it was given, ever; and whether it has been told to end at one. */
unsigned int compiler_files(void);
bool compiler_cancelled(void);
/* The finder of loops comes no further than to the next file that has one. */
void finder_hold(bool hold);
unsigned int finder_files(void);
bool finder_cancelled(void);
void finder_lacks_decoder(void);
/* How often it was given a file with that inode; and was to complain. */
unsigned int finder_saw(u64 inode);
unsigned int finder_complaints(void);
/* Looks into the cache for a file's spin table. */
unsigned int recalls(void);

/* A file of the test with some pages, whose first letter is @letter; its inode. */
u64 make_file(const char *name, char letter);
/* So small that settling waits for its loops. */
u64 make_small_file(const char *name, char letter);
dev_t file_dev(void);
const char *file_path(const char *name);

/* A process that does what it is told. */
struct subject {
	pid_t pid;
	int orders;
	int answers;
};

void subject_begin(struct subject *subject);
/* Maps the file as code, or memory that is no file if it is NULL. Returns where. */
u64 subject_maps(struct subject *subject, const char *path);
/* Maps the file where something else was. */
void subject_replaces(struct subject *subject, u64 at, const char *path);
/* Another one, which is its child. Returns its id. */
pid_t subject_forks(struct subject *subject);
void subject_execs(struct subject *subject);
/* Its first thread, and another one goes on. */
void subject_leader_exits(struct subject *subject);
void subject_end(struct subject *subject);
/* What the process that it executes does. */
int subject_main(void);

int rig_begin(void **state);
int rig_end(void **state);

#endif /* GAPP_TESTS_TEACH_RIG_H */
