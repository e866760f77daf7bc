/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libelf maps files. Where one is cut short while it is being read, whoever
 * owns it could kill the reader by SIGBUS; between these two calls what is
 * missing reads as zeros instead, of which libdw makes an error or nonsense.
 * They nest, and several threads may use them.
 */
#ifndef GAPP_READ_BUS_GUARD_H
#define GAPP_READ_BUS_GUARD_H

void bus_guard_begin(void);
void bus_guard_end(void);

#endif /* GAPP_READ_BUS_GUARD_H */
