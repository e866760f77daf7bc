// SPDX-License-Identifier: GPL-2.0
/* What hides the kernel's addresses from the module's may_see_kernel(). */
#include "no_kernel.h"

#include <fcntl.h>

#include "util/util.h"

/* Reads a small file. An empty text if that fails. */
static void read_text(const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);

	text[length > 0 ? length : 0] = '\0';
}

const char *why_no_kernel(const struct gapp_status *status)
{
	char text[128];

	if (status->flags & GAPP_STATUS_RESTRICTED)
		return "sessions without privilege have none: use sudo";
	read_text("/proc/sys/kernel/kptr_restrict", text, sizeof(text));
	if (*text == '2')
		return "it hides addresses: sysctl kernel.kptr_restrict=1";
	read_text("/sys/kernel/security/lockdown", text, sizeof(text));
	if (strstr(text, "[confidentiality]"))
		return "it was booted with lockdown=confidentiality";
	return "the right CAP_SYSLOG is missing: use sudo";
}
