/* SPDX-License-Identifier: GPL-2.0 */
/* Images (cfi_image_open()) of files, kept, for many processes map the same ones. */
#ifndef GAPP_READ_UNWIND_IMAGES_H
#define GAPP_READ_UNWIND_IMAGES_H

#include "input/object.h"

struct unwind_images;

struct unwind_images *unwind_images_new(struct objects *objects);
void unwind_images_free(struct unwind_images *images);

/* A descriptor of the image of @object, whose file @fd is; or -1. */
int unwind_images_open(struct unwind_images *images, struct object *object, int fd);

#endif /* GAPP_READ_UNWIND_IMAGES_H */
