// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 16

int array_reserve(void *data, size_t *capacity, size_t need, size_t element_bytes)
{
	size_t larger = *capacity * 2;
	void *old, *grown;

	if (need <= *capacity)
		return 0;
	if (larger < need)
		larger = need;
	if (larger < CAPACITY_MIN)
		larger = CAPACITY_MIN;
	if (larger > PTRDIFF_MAX / element_bytes)
		return -ENOMEM;
	/* `data` is the address of a pointer to anything: copied, since its type is not known here.
	 */
	memcpy(&old, data, sizeof(old));
	grown = realloc(old, larger * element_bytes);
	if (!grown)
		return -ENOMEM;
	memcpy(data, &grown, sizeof(grown));
	*capacity = larger;
	return 0;
}
