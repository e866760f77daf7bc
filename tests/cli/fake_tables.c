// SPDX-License-Identifier: GPL-2.0
/*
 * What the stand-in for /dev/gapp makes of tables and mappings: it looks at them
 * as the module does, and notes
 *
 *	table number=N bytes=N
 *	spins number=N bytes=N		a spin table
 *	maps pid=PID count=N tables=N	how many there are, how many of them with a table
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <gapp.h>
#include <gapp_table.h>

#include "fake_node.h"

#define TABLES 4096
/* Of every process. */
#define IMAGE 7
#define UNWIND_TABLE 1
#define SPIN_TABLE 2

static unsigned char loaded[TABLES];

int fake_load_table(void *argument)
{
	struct gapp_table_load *load = argument;
	const struct gapp_table_head *head = (void *)(unsigned long)load->data;
	bool is_spin;
	char detail[64];

	if (load->table || load->flags || load->reserved || load->bytes < sizeof(*head) ||
	    load->bytes % 4)
		return fake_refuse(EINVAL);
	/* both kinds of heads begin with the magic number and the version */
	is_spin = head->magic == GAPP_SPIN_MAGIC && head->version == GAPP_SPIN_VERSION;
	if (!is_spin && (head->magic != GAPP_TABLE_MAGIC || head->version != GAPP_TABLE_VERSION))
		return fake_refuse(EINVAL);
	load->table = 1;
	while (load->table < TABLES && loaded[load->table])
		load->table++;
	if (load->table == TABLES)
		return fake_refuse(ENOSPC);
	loaded[load->table] = is_spin ? SPIN_TABLE : UNWIND_TABLE;
	snprintf(detail, sizeof(detail), "number=%u bytes=%llu", load->table, load->bytes);
	fake_note(is_spin ? "spins" : "table", detail);
	return 0;
}

int fake_drop_table(void *argument)
{
	const struct gapp_table_drop *drop = argument;

	if (drop->reserved)
		return fake_refuse(EINVAL);
	if (!drop->table || drop->table >= TABLES || !loaded[drop->table])
		return fake_refuse(ENOENT);
	loaded[drop->table] = 0;
	return 0;
}

static bool is_loaded(unsigned int number, int kind)
{
	return !number || (number < TABLES && loaded[number] == kind);
}

int fake_set_maps(void *argument)
{
	struct gapp_mappings *maps = argument;
	const struct gapp_mapping *map = (void *)(unsigned long)maps->maps;
	unsigned int tables = 0;
	char detail[64];

	if (maps->flags || maps->reserved || maps->count > GAPP_MAX_MAPPINGS ||
	    (!maps->image && maps->count))
		return fake_refuse(EINVAL);
	if (kill(maps->pid, 0))
		return fake_refuse(ESRCH);
	if (!maps->image) {
		maps->image = IMAGE;
		return 0;
	}
	if (maps->image != IMAGE)
		return fake_refuse(ESTALE);
	for (unsigned int i = 0; i < maps->count; i++) {
		if (map[i].begin >= map[i].end || (i && map[i].begin < map[i - 1].end))
			return fake_refuse(EINVAL);
		if (!is_loaded(map[i].table, UNWIND_TABLE) || !is_loaded(map[i].spins, SPIN_TABLE))
			return fake_refuse(ENOENT);
		tables += !!map[i].table;
	}
	snprintf(detail, sizeof(detail), "pid=%d count=%u tables=%u", maps->pid, maps->count,
		 tables);
	fake_note("maps", detail);
	return 0;
}
