// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/keymap.h"

static void test_empty(void **state)
{
	struct keymap map = {0};
	size_t at = 0;

	(void)state;
	assert_null(keymap_find(&map, 0));
	assert_null(keymap_next(&map, &at));
	keymap_remove(&map, 1);
	keymap_done(&map);
	keymap_done(&map);
}

static void test_set(void **state)
{
	struct keymap map = {0};
	int a, b;

	(void)state;
	assert_int_equal(keymap_set(&map, 0, &a), 0);
	assert_int_equal(keymap_set(&map, UINT64_MAX, &b), 0);
	assert_ptr_equal(keymap_find(&map, 0), &a);
	assert_ptr_equal(keymap_find(&map, UINT64_MAX), &b);
	assert_null(keymap_find(&map, 1));
	assert_int_equal(keymap_set(&map, 0, &b), 0);
	assert_ptr_equal(keymap_find(&map, 0), &b);
	assert_int_equal(map.nr, 2);
	keymap_remove(&map, 0);
	keymap_remove(&map, 0);
	assert_null(keymap_find(&map, 0));
	assert_int_equal(map.nr, 1);
	keymap_done(&map);
	assert_null(keymap_find(&map, UINT64_MAX));
}

/* Against a plain array, with runs of keys, and so full that entries are far from home. */
static void test_against_array(void **state)
{
	enum { KEYS = 700 };
	static uint64_t value[KEYS];
	void *expected[KEYS] = {0};
	struct keymap map = {0};
	uint64_t random = 12345;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t key, at = 0, nr = 0;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		key = (random >> 20) % KEYS;
		if (random & 1) {
			expected[key] = &value[random % KEYS];
			assert_int_equal(keymap_set(&map, key * 64, expected[key]), 0);
		} else {
			expected[key] = NULL;
			keymap_remove(&map, key * 64);
		}
		if (i % 512)
			continue;
		for (key = 0; key < KEYS; key++) {
			assert_ptr_equal(keymap_find(&map, key * 64), expected[key]);
			nr += expected[key] != NULL;
		}
		assert_int_equal(map.nr, nr);
		assert_true(map.nr <= map.capacity / 4 * 3);
		while (keymap_next(&map, &at))
			nr--;
		assert_int_equal(nr, 0);
	}
	keymap_done(&map);
}

static void test_array_reserve(void **state)
{
	size_t capacity = 0;
	int *list = NULL;

	(void)state;
	assert_int_equal(array_reserve(&list, &capacity, 0, sizeof(*list)), 0);
	assert_null(list);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(array_reserve(&list, &capacity, (size_t)i + 1, sizeof(*list)), 0);
		list[i] = i;
	}
	assert_true(capacity >= 1000 && capacity < 2048);
	assert_int_equal(list[777], 777);
	assert_int_not_equal(array_reserve(&list, &capacity, SIZE_MAX / 2, sizeof(*list)), 0);
	assert_int_equal(list[999], 999);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_set),
	    cmocka_unit_test(test_against_array),
	    cmocka_unit_test(test_array_reserve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
