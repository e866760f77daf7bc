/* SPDX-License-Identifier: GPL-2.0 */
/* The file that every recording is written to. */
#ifndef GAPP_READ_SAVE_H
#define GAPP_READ_SAVE_H

#include "capture.h"

/* Writes the recording. Returns 0, or -1 with a complaint made. */
int save_recording(struct capture *capture, const struct options *options,
		   const struct results *results);

#endif /* GAPP_READ_SAVE_H */
