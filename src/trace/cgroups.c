// SPDX-License-Identifier: GPL-2.0-only
#include "trace/cgroups.h"

#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

/* Container managers put their containers into each of these; the first one that is v1 serves. */
static const char *const controllers[] = {"memory", "pids", "cpu", "freezer", "devices"};

/* Is the controller on a v1 hierarchy? /proc/cgroups: name, hierarchy (0 = v2), cgroups, enabled.
 */
static int is_v1(const char *controller)
{
	FILE *file = fopen("/proc/cgroups", "re");
	char line[128], name[64];
	unsigned int hierarchy;
	int found = 0;

	if (!file)
		return 0;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%63s %u", name, &hierarchy) == 2 && hierarchy &&
			!strcmp(name, controller);
	fclose(file);
	return found;
}

static int subsys_index(const struct btf *btf, const char *controller)
{
	int id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	char name[64];

	if (!type)
		return -1;
	snprintf(name, sizeof(name), "%s_cgrp_id", controller);
	for (__u16 i = 0; i < btf_vlen(type); i++) {
		const struct btf_enum *value = &btf_enum(type)[i];

		if (!strcmp(btf__name_by_offset(btf, value->name_off), name))
			return value->val;
	}
	return -1;
}

int cgroup_v1_subsys(void)
{
	int index = -1;

	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]) && index < 0; i++) {
		struct btf *btf;

		if (!is_v1(controllers[i]))
			continue;
		btf = btf__load_vmlinux_btf();
		if (!btf)
			return -1;
		index = subsys_index(btf, controllers[i]);
		btf__free(btf);
	}
	return index;
}
