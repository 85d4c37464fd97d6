// SPDX-License-Identifier: GPL-2.0-only
#include "base/keymap.h"

#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CAPACITY_MIN 16

/* Where the search for a key begins. */
static size_t home(const struct keymap *map, uint64_t key)
{
	return (size_t)XXH3_64bits(&key, sizeof(key)) & (map->capacity - 1);
}

static size_t after(const struct keymap *map, size_t at)
{
	return (at + 1) & (map->capacity - 1);
}

/* The slot of a key, or the free one where it would be. There are slots, and not all are taken. */
static struct keymap_slot *slot_of(const struct keymap *map, uint64_t key)
{
	size_t at = home(map, key);

	while (map->slots[at].value && map->slots[at].key != key)
		at = after(map, at);
	return &map->slots[at];
}

void *keymap_find(const struct keymap *map, uint64_t key)
{
	return map->capacity ? slot_of(map, key)->value : NULL;
}

static int grow(struct keymap *map)
{
	struct keymap larger = {
	    .nr = map->nr,
	    .capacity = map->capacity ? map->capacity * 2 : CAPACITY_MIN,
	};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].value)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

int keymap_set(struct keymap *map, uint64_t key, void *value)
{
	struct keymap_slot *slot = map->capacity ? slot_of(map, key) : NULL;

	if (slot && slot->value) {
		slot->value = value;
		return 0;
	}
	if (map->nr + 1 > map->capacity / 4 * 3) {
		if (grow(map))
			return -ENOMEM;
		slot = slot_of(map, key);
	}
	*slot = (struct keymap_slot){.key = key, .value = value};
	map->nr++;
	return 0;
}

/*
 * No gap may come between an entry and its home, so entries behind the freed slot move into it:
 * those whose home does not lie between the gap and where they are.
 */
void keymap_remove(struct keymap *map, uint64_t key)
{
	size_t mask = map->capacity - 1, gap, at;
	struct keymap_slot *slot = map->capacity ? slot_of(map, key) : NULL;

	if (!slot || !slot->value)
		return;
	gap = (size_t)(slot - map->slots);
	for (at = after(map, gap); map->slots[at].value; at = after(map, at)) {
		size_t from_home = (at - home(map, map->slots[at].key)) & mask;

		if (from_home >= ((at - gap) & mask)) {
			map->slots[gap] = map->slots[at];
			gap = at;
		}
	}
	map->slots[gap].value = NULL;
	map->nr--;
}

void *keymap_next(const struct keymap *map, size_t *at)
{
	while (*at < map->capacity) {
		void *value = map->slots[(*at)++].value;

		if (value)
			return value;
	}
	return NULL;
}

void keymap_done(struct keymap *map)
{
	free(map->slots);
	*map = (struct keymap){0};
}
