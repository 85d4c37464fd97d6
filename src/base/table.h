/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables: uthash, set up once for the whole project. XXH3 is the hash, and a table that cannot
 * grow refuses the element instead of ending the process.
 *
 * Elements carry a UT_hash_handle `hh`. After HASH_ADD*() ask table_holds(): false means no memory,
 * with table and element as they were. Include this, never <uthash.h> itself.
 */
#ifndef TASKATLAS_TABLE_H
#define TASKATLAS_TABLE_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, len, hash) ((hash) = (unsigned)XXH3_64bits(key, len))
#include <uthash.h>

/* Is the element that was just added in its table? */
#define table_holds(element) ((element)->hh.tbl != NULL)

/* Bytes of a table beside its elements. */
#define table_bytes(head)                                                                          \
	((head) ? sizeof(UT_hash_table) + (head)->hh.tbl->num_buckets * sizeof(UT_hash_bucket)     \
		: (size_t)0)

#endif
