// SPDX-License-Identifier: GPL-2.0
#include "unwind_images.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "unwind-table/unwind_table.h"

#define IMAGES_MAX 64
#define BYTES_MAX (2ULL * CFI_IMAGE_BYTES_MAX)

/**
 * struct image - of a file as it was
 * @object: the file's, held; NULL: there is none
 * @size: the file's
 * @changed: when it was last
 * @fd: the image, or -1
 * @bytes: the image's
 * @used: when it was last, in calls
 */
struct image {
	struct object *object;
	off_t size;
	struct timespec changed;
	int fd;
	u64 bytes;
	u64 used;
};

struct unwind_images {
	struct objects *objects;
	u64 calls;
	u64 bytes;
	struct image list[IMAGES_MAX];
};

struct unwind_images *unwind_images_new(struct objects *objects)
{
	struct unwind_images *images = calloc(1, sizeof(*images));

	if (images)
		images->objects = objects;
	return images;
}

static void forget(struct unwind_images *images, struct image *image)
{
	if (!image->object)
		return;
	objects_release(images->objects, image->object);
	images->bytes -= image->bytes;
	if (image->fd >= 0)
		close(image->fd);
	*image = (struct image){ 0 };
}

void unwind_images_free(struct unwind_images *images)
{
	for (size_t i = 0; images && i < IMAGES_MAX; i++)
		forget(images, &images->list[i]);
	free(images);
}

/* The object's, or one that is free, or else the one that was not used for longest. */
static struct image *find(struct unwind_images *images, const struct object *object)
{
	struct image *oldest = &images->list[0];

	for (size_t i = 0; i < IMAGES_MAX; i++) {
		struct image *image = &images->list[i];

		if (image->object == object)
			return image;
		if (image->used < oldest->used)
			oldest = image;
	}
	return oldest;
}

/* Our copy of the vdso is made anew each time; it never changes. */
static bool is_current(const struct image *image, const struct object *object,
		       const struct stat *stat)
{
	return image->object == object &&
	       (object->kind == OBJECT_VDSO ||
		(image->size == stat->st_size && image->changed.tv_sec == stat->st_ctim.tv_sec &&
		 image->changed.tv_nsec == stat->st_ctim.tv_nsec));
}

static void make(struct unwind_images *images, struct image *image, struct object *object, int fd,
		 const struct stat *stat)
{
	struct stat made;

	forget(images, image);
	object_hold_again(object);
	*image = (struct image){
		.object = object,
		.size = stat->st_size,
		.changed = stat->st_ctim,
		.fd = cfi_image_open(fd),
	};
	if (image->fd >= 0 && !fstat(image->fd, &made))
		image->bytes = made.st_size;
	images->bytes += image->bytes;
}

int unwind_images_open(struct unwind_images *images, struct object *object, int fd)
{
	struct image *image = find(images, object);
	struct stat stat;
	int result;

	if (fstat(fd, &stat))
		return -1;
	if (!is_current(image, object, &stat))
		make(images, image, object, fd, &stat);
	image->used = ++images->calls;
	result = image->fd < 0 ? -1 : fcntl(image->fd, F_DUPFD_CLOEXEC, 0);
	for (size_t i = 0; images->bytes > BYTES_MAX && i < IMAGES_MAX; i++) {
		if (&images->list[i] != image)
			forget(images, &images->list[i]);
	}
	return result;
}
