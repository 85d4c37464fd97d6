/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow, and what an allocation really takes. */
#ifndef TASKATLAS_ARRAY_H
#define TASKATLAS_ARRAY_H

#include <stddef.h>

/*
 * Make room for `need` elements of `element_bytes` in *data, which holds *capacity of them; at
 * least doubles. *data is a pointer from malloc(), or NULL with *capacity 0. 0; -ENOMEM with
 * nothing changed.
 */
int array_reserve(void *data, size_t *capacity, size_t need, size_t element_bytes);

/* Bytes that malloc(bytes) takes from the heap with its own bookkeeping (glibc, 64 bits). */
static inline size_t heap_bytes(size_t bytes)
{
	size_t taken = (bytes + 8 + 15) & ~(size_t)15;

	return taken < 32 ? 32 : taken;
}

#endif
