/* SPDX-License-Identifier: GPL-2.0 */
/* The files of user/export/page/, which the build puts into the program. */
#ifndef GAPP_READ_PAGE_TEMPLATE_H
#define GAPP_READ_PAGE_TEMPLATE_H

/* Each ends with a NUL. */
extern const char page_html[], page_css[], page_js[];

#endif /* GAPP_READ_PAGE_TEMPLATE_H */
