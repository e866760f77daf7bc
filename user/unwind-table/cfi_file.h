/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of an ELF file its unwind table is made from. All of it is read once,
 * into memory that nobody else can write, for the file may change or be cut
 * short at any time.
 */
#ifndef GAPP_READ_CFI_FILE_H
#define GAPP_READ_CFI_FILE_H

#include <elf.h>

#include "unwind_table.h"

#define CFI_BUILD_ID_MAX 64

/**
 * struct cfi_file - an ELF file
 * @arch: enum gapp_arch
 * @machine: its number in ELF files
 * @entry: address that a program begins at
 * @is_eh: @frames is of .eh_frame, else of .debug_frame
 * @frames: call frame information, or NULL
 * @frames_size: bytes
 * @frames_address: where the ELF file says it belongs
 * @segments: code
 * @segment_count: how many
 * @returns: addresses of code that returns from a signal's handler, by what it does; where the file
 *	describes it, that counts
 * @return_count: how many
 * @build_id: its first bytes
 * @build_id_size: how many, 0: it has none
 */
struct cfi_file {
	enum gapp_arch arch;
	u16 machine;
	u64 entry;
	bool is_eh;
	u8 *frames;
	size_t frames_size;
	u64 frames_address;
	struct code_segment *segments;
	size_t segment_count;
	u64 *returns;
	u32 return_count;
	u8 build_id[CFI_BUILD_ID_MAX];
	size_t build_id_size;
};

/*
 * As code_table_compile(). The first reads the machine, the segments and the build-id alone,
 * the second the machine, the segments and the frames of .eh_frame or .debug_frame.
 */
int cfi_file_read_head(struct cfi_file *file, int fd);
int cfi_file_read_frames(struct cfi_file *file, int fd, bool is_eh);
int cfi_file_read(struct cfi_file *file, int fd, const volatile bool *cancel);
void cfi_file_free(struct cfi_file *file);
#define _cleanup_cfi_file_ _cleanup_(cfi_file_free)

bool cfi_file_is_code(const struct cfi_file *file, u64 address);

static inline bool cfi_cancelled(const volatile bool *cancel)
{
	return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

#endif /* GAPP_READ_CFI_FILE_H */
