// SPDX-License-Identifier: GPL-2.0-only
#include "trace/host_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "trace/proc_maps.h"

#define INITIAL_PID_NS 0xEFFFFFFCu /* PROC_PID_INIT_INO, include/linux/proc_ns.h */
#define GATE_START (1ull << 63)    /* mappings up there are not the process's own */

static void first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	if (fgets(line, (int)size, file))
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct gate_search {
	struct host *host;
	uint64_t touching; /* a mapping here only touches the break; 0 = none */
};

static int gate_see(void *ctx, const struct proc_mapping *mapping)
{
	struct gate_search *search = ctx;
	struct host *host = search->host;

	if (mapping->start >= GATE_START) {
		host->has_gate = true;
		host->gate = (struct mapping){.start = mapping->start,
					      .end = mapping->end,
					      .offset = mapping->offset,
					      .flags = mapping->flags};
	}
	if (search->touching && mapping->start == search->touching)
		host->heap_touches = mapping->name_len == 6 && !memcmp(mapping->name, "[heap]", 6);
	return 0;
}

/*
 * Is a mapping that begins where the break ends called [heap]? It was until Linux 6.11: try it with
 * a page that cannot merge with the heap.
 */
static void *touch_break(void)
{
	void *page = mmap(sbrk(0), (size_t)getpagesize(), PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

void host_facts(struct host *ret)
{
	struct gate_search search = {.host = ret};
	struct utsname names;
	struct stat pid_ns;
	char line[32];
	void *page;

	*ret = (struct host){};
	if (!uname(&names)) {
		memcpy(ret->hostname, names.nodename, sizeof(ret->hostname));
		memcpy(ret->kernel, names.release, sizeof(ret->kernel));
	}
	first_line("/proc/sys/kernel/random/boot_id", ret->boot_id, sizeof(ret->boot_id));
	first_line("/proc/sys/vm/max_map_count", line, sizeof(line));
	ret->max_map_count = (uint32_t)strtoul(line, NULL, 10);
	ret->nr_cpus = (uint32_t)get_nprocs_conf();
	ret->realtime_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	ret->partial_view = !stat("/proc/self/ns/pid", &pid_ns) && pid_ns.st_ino != INITIAL_PID_NS;
	page = touch_break();
	search.touching = (uint64_t)page;
	proc_maps_read("/proc/self/maps", gate_see, &search);
	if (page)
		munmap(page, (size_t)getpagesize());
}
