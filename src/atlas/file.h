/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files: what is mapped or executed, interned by the kernel side's key and known by a number. A
 * number stays with its file until atlas_collect() finds that nothing refers to it; then it may be
 * given to another one.
 */
#ifndef TASKATLAS_ATLAS_FILE_H
#define TASKATLAS_ATLAS_FILE_H

#include "atlas/model.h"

/* The number for a key, 0 for 0; a file without a name if nobody knew the key. 0, -ENOMEM. */
int file_number(struct atlas *atlas, uint64_t key, uint32_t *ret);

/* NULL = no such file. */
static inline struct file_node *file_by_number(const struct atlas *atlas, uint32_t number)
{
	return number < atlas->files_end ? atlas->files[number] : NULL;
}

/* Give the number back. The node is in the table. */
void file_free(struct atlas *atlas, struct file_node *node);

/* How many there are. */
static inline uint32_t files_nr(const struct atlas *atlas)
{
	return (uint32_t)atlas->file_keys.nr;
}

#endif
