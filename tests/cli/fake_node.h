/* SPDX-License-Identifier: GPL-2.0 */
/* What the linker makes of open() and ioctl() with --wrap. */
#ifndef GAPP_TESTS_FAKE_NODE_H
#define GAPP_TESTS_FAKE_NODE_H

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

#endif /* GAPP_TESTS_FAKE_NODE_H */
