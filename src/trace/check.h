/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What taskatlas needs from a machine, item by item: privileges by name, kernel features, files,
 * limits. `taskatlas check` prints all of it; live_open() fails with the first missing one.
 */
#ifndef TASKATLAS_CHECK_H
#define TASKATLAS_CHECK_H

#include <stddef.h>

#include "base/message.h"

enum check_result {
	CHECK_NONE = 0,
	CHECK_OK,
	CHECK_DEGRADED, /* it works, with what `advice` says missing */
	CHECK_MISSING,  /* it does not work */
	CHECK_RESULT_NR
};

struct check_item {
	const char *name;     /* stable identifier, e.g. "CAP_BPF", "BTF" */
	const char *what_for; /* a few words */
	enum check_result result;
	char found[160];  /* what was found */
	char advice[240]; /* what to do; "" where result is CHECK_OK */
};

#define CHECK_ITEMS_MAX 32

/* Probe everything that can be probed without loading programs. Returns how many items. */
size_t check_all(struct check_item items[CHECK_ITEMS_MAX]);

/*
 * Is anything missing? 0, or -EPERM / -ENOSYS with the sentence for the first CHECK_MISSING item in
 * `why`. Without `deep`, only what can be asked in microseconds.
 */
int check_required(int deep, struct message *why);

#endif
