// SPDX-License-Identifier: GPL-2.0
#include "util/util.h"

#include "capstone_library.h"

#include <dlfcn.h>

#define LIBRARY CAPSTONE_LIBRARY

/**
 * struct calls - functions of the library
 * @library: stays loaded, because it is needed again and again or not at all
 */
static struct calls {
	void *library;
	typeof(cs_open) *open;
	typeof(cs_close) *close;
	typeof(cs_option) *option;
	typeof(cs_malloc) *malloc;
	typeof(cs_free) *free;
	typeof(cs_disasm_iter) *next;
} calls;

static void *find(const char *name, bool complains)
{
	void *function = dlsym(calls.library, name);

	if (!function && complains)
		complain(LIBRARY " has no %s(): install another one", name);
	return function;
}

static bool load(bool complains)
{
	if (calls.library)
		return calls.next;
	calls.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!calls.library && complains)
		complain("code is decoded by " LIBRARY
			 ", which is missing: install it (Debian: " CAPSTONE_PACKAGE ")");
	if (!calls.library)
		return false;
	calls.open = find("cs_open", complains);
	calls.close = find("cs_close", complains);
	calls.option = find("cs_option", complains);
	calls.malloc = find("cs_malloc", complains);
	calls.free = find("cs_free", complains);
	if (calls.open && calls.close && calls.option && calls.malloc && calls.free)
		calls.next = find("cs_disasm_iter", complains);
	return calls.next;
}

struct capstone *capstone_open(cs_arch arch, cs_mode mode, bool complains)
{
	struct capstone *capstone = load(complains) ? calloc(1, sizeof(*capstone)) : NULL;

	if (!capstone)
		return NULL;
	capstone->next = calls.next;
	if (!calls.open(arch, mode, &capstone->plain) &&
	    !calls.open(arch, mode, &capstone->detailed) &&
	    !calls.option(capstone->detailed, CS_OPT_DETAIL, CS_OPT_ON)) {
		capstone->plain_insn = calls.malloc(capstone->plain);
		capstone->insn = calls.malloc(capstone->detailed);
		if (capstone->plain_insn && capstone->insn)
			return capstone;
	}
	if (complains)
		complain(LIBRARY " cannot decode this machine's code");
	capstone_close(capstone);
	return NULL;
}

void capstone_close(struct capstone *capstone)
{
	if (capstone->plain_insn)
		calls.free(capstone->plain_insn, 1);
	if (capstone->insn)
		calls.free(capstone->insn, 1);
	if (capstone->plain)
		calls.close(&capstone->plain);
	if (capstone->detailed)
		calls.close(&capstone->detailed);
	free(capstone);
}
