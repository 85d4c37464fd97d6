/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables from 64-bit keys to pointers: open addressing with linear probing, XXH3 as the hash.
 * A look-up that finds touches one cache line of the table, most of the time, and nothing else; an
 * entry takes 16 bytes, at a load between 3/8 and 3/4. Nothing is stored in the elements.
 */
#ifndef TASKATLAS_KEYMAP_H
#define TASKATLAS_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

struct keymap_slot {
	uint64_t key;
	void *value; /* NULL = free */
};

/* Zero is a valid, empty table. */
struct keymap {
	struct keymap_slot *slots;
	size_t nr;       /* entries */
	size_t capacity; /* slots, a power of two; 0 = none yet */
};

/* The value of a key; NULL = none. */
void *keymap_find(const struct keymap *map, uint64_t key);

/*
 * Give a key a value, which is not NULL, in place of the one that it has. 0; -ENOMEM with nothing
 * changed, never where the key has a value already.
 */
int keymap_set(struct keymap *map, uint64_t key, void *value);

/* Forget a key; no effect if it has no value. */
void keymap_remove(struct keymap *map, uint64_t key);

/* The next value, by no special order, from *at = 0 on; NULL = no more. Not across changes. */
void *keymap_next(const struct keymap *map, size_t *at);

/* Free it; empty and usable afterwards. */
void keymap_done(struct keymap *map);

#endif
