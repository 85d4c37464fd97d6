// SPDX-License-Identifier: GPL-2.0-only
/*
 * A FILE record says what its key means from then on, also where the key meant something else
 * before. It comes right behind the first record that used the key in its new meaning, so what
 * holds the number by then either means the new file too, or is about to be told gone.
 */
#include "atlas/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atlas/apply.h"
#include "base/array.h"

static struct file_node *file_by_key(const struct atlas *atlas, uint64_t key)
{
	return keymap_find(&atlas->file_keys, key);
}

/* A number that no file has, and room for it in both arrays. 0 = no memory. */
static uint32_t number_take(struct atlas *atlas)
{
	uint32_t number = atlas->files_end ? atlas->files_end : 1;

	if (atlas->nr_free)
		return atlas->free_numbers[--atlas->nr_free];
	if (array_reserve(&atlas->files, &atlas->files_capacity, number + 1,
			  sizeof(*atlas->files)) ||
	    array_reserve(&atlas->free_numbers, &atlas->free_capacity, number + 1,
			  sizeof(*atlas->free_numbers)))
		return 0;
	atlas->files[0] = NULL;
	atlas->files[number] = NULL;
	atlas->files_end = number + 1;
	return number;
}

static struct file_node *file_new(struct atlas *atlas, uint64_t key)
{
	uint32_t number = number_take(atlas);
	struct file_node *node;

	if (!number)
		return NULL;
	node = calloc(1, sizeof(*node));
	if (!node)
		goto give_back;
	node->pub.name = "";
	node->key = key;
	node->number = number;
	if (keymap_set(&atlas->file_keys, key, node))
		goto give_back;
	atlas->files[number] = node;
	return node;

give_back:
	free(node);
	atlas->free_numbers[atlas->nr_free++] = number;
	return NULL;
}

int file_number(struct atlas *atlas, uint64_t key, uint32_t *ret)
{
	struct file_node *node = NULL;

	if (key) {
		node = file_by_key(atlas, key);
		if (!node)
			node = file_new(atlas, key);
		if (!node)
			return -ENOMEM;
	}
	*ret = node ? node->number : 0;
	return 0;
}

/* The name is on the heap once it is known. */
static void name_free(struct file *file)
{
	if (file->kind != REC_FILE_NONE)
		free((char *)file->name);
}

void file_free(struct atlas *atlas, struct file_node *node)
{
	keymap_remove(&atlas->file_keys, node->key);
	atlas->files[node->number] = NULL;
	atlas->free_numbers[atlas->nr_free++] = node->number;
	name_free(&node->pub);
	free(node);
}

const struct file *atlas_file(const struct atlas *atlas, uint32_t number)
{
	struct file_node *node = file_by_number(atlas, number);

	return node ? &node->pub : NULL;
}

int apply_file(struct atlas *atlas, const struct rec_file *rec)
{
	char *name = malloc(rec->name_len + 1);
	struct file_node *node;
	uint32_t number;

	if (!name)
		return -ENOMEM;
	if (file_number(atlas, rec->file, &number)) {
		free(name);
		return -ENOMEM;
	}
	memcpy(name, rec->name, rec->name_len);
	name[rec->name_len] = '\0';
	node = file_by_number(atlas, number);
	name_free(&node->pub);
	node->pub = (struct file){
	    .inode = rec->inode,
	    .dev = rec->dev,
	    .generation = rec->generation,
	    .kind = rec->file_kind,
	    .flags = rec->file_flags,
	    .name_len = rec->name_len,
	    .name = name,
	    .named_ns = rec->hdr.time_ns,
	};
	return 0;
}
