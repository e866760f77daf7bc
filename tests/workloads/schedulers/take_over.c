// SPDX-License-Identifier: GPL-2.0
/*
 * Has a scheduler of BPF schedule all threads (sched_ext) until it is ended: the smallest there is,
 * a name without any function, for which the kernel does what it does by default. So no BPF has to
 * be compiled: the value of a map of the kernel's own type is all.
 *
 * Usage: take_over; says "taken over" when it has.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define VALUE "bpf_struct_ops_sched_ext_ops"
#define NAME "taken_over"
#define CANNOT 77

/* of Linux 6.4: the headers of older ones lack them */
#define WITH_LINK 0x2000
#define OF_STRUCTURE 44

struct types {
	const struct btf_header *head;
	const char *first;
	const char *end;
	const char *names;
};

static void die(const char *what)
{
	fprintf(stderr, "take_over: %s: %s\n", what, errno ? strerror(errno) : "not found");
	exit(CANNOT);
}

static long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static void read_types(struct types *types)
{
	size_t room = 64UL << 20, size = 0;
	int fd = open(KERNEL_TYPES, O_RDONLY);
	char *all = malloc(room);
	ssize_t got;

	if (fd < 0 || !all)
		die(KERNEL_TYPES);
	while ((got = read(fd, all + size, room - size)) > 0)
		size += got;
	close(fd);
	types->head = (const void *)all;
	if (got || size < sizeof(*types->head) || types->head->magic != BTF_MAGIC)
		die(KERNEL_TYPES);
	types->first = all + types->head->hdr_len + types->head->type_off;
	types->end = types->first + types->head->type_len;
	types->names = all + types->head->hdr_len + types->head->str_off;
}

static size_t bytes_behind(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return count * sizeof(struct btf_enum64);
	default:
		return 0;
	}
}

/* Type number @id, or if that is 0 the structure @name; sets *@found to its number. */
static const struct btf_type *find(const struct types *types, uint32_t id, const char *name,
				   uint32_t *found)
{
	uint32_t number = 1;

	for (const char *at = types->first; at < types->end; number++) {
		const struct btf_type *type = (const void *)at;

		*found = number;
		if (id ? number == id :
			 BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
				    !strcmp(types->names + type->name_off, name))
			return type;
		at += sizeof(*type) + bytes_behind(type);
	}
	errno = 0;
	die(name ?: "a type");
	return NULL;
}

static const struct btf_member *member_of(const struct types *types, const struct btf_type *type,
					  const char *name)
{
	const struct btf_member *member = (const void *)(type + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++, member++)
		if (!strcmp(types->names + member->name_off, name))
			return member;
	errno = 0;
	die(name);
	return NULL;
}

/* The kernel wants types with a map, of which nothing is used: those of one int. */
static int load_some_types(void)
{
	static const char name[] = "\0int";
	struct {
		struct btf_header head;
		struct btf_type type;
		uint32_t bits;
		char names[sizeof(name)];
	} some = {
		.head = { BTF_MAGIC, BTF_VERSION, 0, sizeof(some.head), 0,
			  sizeof(some.type) + sizeof(some.bits),
			  sizeof(some.type) + sizeof(some.bits), sizeof(name) },
		.type = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = sizeof(int) },
		.bits = 32,
	};
	union bpf_attr attr = { .btf = (uintptr_t)&some,
				.btf_size = offsetof(typeof(some), names) + sizeof(name) };
	int fd;

	memcpy(some.names, name, sizeof(name));
	fd = bpf(BPF_BTF_LOAD, &attr);
	if (fd < 0)
		die("BPF_BTF_LOAD");
	return fd;
}

int main(void)
{
	uint32_t id, data_id, zero = 0;
	const struct btf_type *value_type, *data_type;
	const struct btf_member *data, *name;
	union bpf_attr attr;
	struct types types;
	char *value;
	int map;

	read_types(&types);
	value_type = find(&types, 0, VALUE, &id);
	data = member_of(&types, value_type, "data");
	data_type = find(&types, data->type, NULL, &data_id);
	name = member_of(&types, data_type, "name");
	value = calloc(1, value_type->size);
	if (!value)
		die("memory");
	strcpy(value + (data->offset + name->offset) / 8, NAME);

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_STRUCT_OPS;
	attr.key_size = sizeof(zero);
	attr.value_size = value_type->size;
	attr.max_entries = 1;
	attr.map_flags = WITH_LINK;
	attr.btf_fd = load_some_types();
	attr.btf_vmlinux_value_type_id = id;
	strcpy(attr.map_name, NAME);
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		die("BPF_MAP_CREATE");

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (uintptr_t)&zero;
	attr.value = (uintptr_t)value;
	if (bpf(BPF_MAP_UPDATE_ELEM, &attr))
		die("BPF_MAP_UPDATE_ELEM");

	/* the link ends with the process */
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = map;
	attr.link_create.attach_type = OF_STRUCTURE;
	if (bpf(BPF_LINK_CREATE, &attr) < 0)
		die("BPF_LINK_CREATE");
	puts("taken over");
	fflush(stdout);
	pause();
	return 0;
}
