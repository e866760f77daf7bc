/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_FOUND_STORES_H
#define TESTS_FOUND_STORES_H

/* Addresses of the instructions. */
extern const char *const code_stores[], *const code_stores_end[];
extern const char *const code_others[], *const code_others_end[];
extern const char code_relative[], code_relative_register[], code_end[], code_outside[];

#endif /* TESTS_FOUND_STORES_H */
