// SPDX-License-Identifier: GPL-2.0
#include "window.h"

/**
 * gapp_window_move() - copies anew
 * @window: the window
 * @address: of the word that must be in it
 *
 * From the address on, for frames lie upwards. A page is there or not: so a window ends with its
 * page, or one that is not there would hide the one before it.
 *
 * Return: false if that cannot be; then the window is empty.
 */
bool gapp_window_move(struct gapp_window *window, u64 address)
{
	u64 bytes = GAPP_WINDOW_PAGE - address % GAPP_WINDOW_PAGE;

	window->bytes = 0;
	if (address % GAPP_WINDOW_WORD || address >= window->limit)
		return false;
	if (bytes > GAPP_WINDOW_BYTES)
		bytes = GAPP_WINDOW_BYTES;
	if (bytes > window->limit - address)
		bytes = (window->limit - address) / GAPP_WINDOW_WORD * GAPP_WINDOW_WORD;
	if (!bytes)
		return false;
	window->fills++;
	if (!window->copy(window->context, window->data, address, bytes))
		return false;
	window->at = address;
	window->bytes = bytes;
	return true;
}
