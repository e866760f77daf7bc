/* SPDX-License-Identifier: GPL-2.0 */
/* How many files may be open: each process that is followed is one, and each CPU's side-band. */
#ifndef GAPP_READ_FILE_LIMIT_H
#define GAPP_READ_FILE_LIMIT_H

#include <sys/resource.h>

/* As many as may be; @before is what a command must get back. */
void file_limit_raise(struct rlimit *before);
void file_limit_give_back(const struct rlimit *before);

#endif /* GAPP_READ_FILE_LIMIT_H */
