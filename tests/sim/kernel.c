// SPDX-License-Identifier: GPL-2.0-only
/* The machine at its start, its clock, and its files. */
#include "tests/sim/kernel.h"

#include <stdio.h>
#include <string.h>

uint64_t kernel_tick(struct kernel *k)
{
	return k->now += 1000;
}

static struct k_task *first_task(struct kernel *k, uint32_t tid, const char *comm)
{
	struct k_task *t = &k->task[tid];
	struct k_group *g = &k->group[tid];

	*g = (struct k_group){.objects = 1, .live = 1, .threads = 1, .leader = t, .pid_ns = 1};
	*t = (struct k_task){
	    .state = K_LIVE,
	    .tid = tid,
	    .start = kernel_tick(k),
	    .group = g,
	    .cpu = -1,
	    .woken = true,
	    .mnt_ns = 1,
	    .cgroup = 1,
	    .comm_locked_by = -1,
	};
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	k->by_tid[tid] = t;
	return t;
}

static void files_init(struct kernel *k)
{
	static const uint16_t kinds[6] = {REC_FILE_PATH,   REC_FILE_PATH,    REC_FILE_PATH,
					  REC_FILE_PSEUDO, REC_FILE_SPECIAL, REC_FILE_ANON};

	for (int i = 1; i < K_FILES; i++)
		k->file[i].kind = kinds[i % 6];
}

void kernel_init(struct kernel *k)
{
	struct k_task *init;

	memset(k, 0, sizeof(*k));
	k->now = 1000000;
	k->cgroup_locked_by = -1;
	files_init(k);
	for (int i = K_MMS - 1; i >= 0; i--) {
		k->mm[i].next_free = i == K_MMS - 1 ? -1 : i + 1;
		k->mm[i].locked_by = -1;
	}
	k->free_mm = 0;
	for (int tid = K_TIDS - 1; tid > 2; tid--)
		k->free_tid[k->nr_free_tids++] = (uint8_t)tid;
	init = first_task(k, 1, "init");
	init->mm = mm_new(k);
	init->group->subreaper = true;
	first_task(k, 2, "kthreadd")->kthread = true;
	k->by_tid[2]->group->ignores_children = true;
}

uint32_t file_name(const struct kernel *k, int file, uint32_t version, char name[32])
{
	static const char *const before[REC_FILE_KIND_NR] = {
	    [REC_FILE_PATH] = "/lib/",
	    [REC_FILE_PSEUDO] = "/memfd:",
	    [REC_FILE_SPECIAL] = "[special-",
	    [REC_FILE_ANON] = "anon-",
	};
	const uint16_t kind = k->file[file].kind;

	return (uint32_t)snprintf(name, 32, "%s%d-%u%s", before[kind], file, version,
				  kind == REC_FILE_SPECIAL ? "]" : "");
}

uint64_t file_inode(int file)
{
	return file_is_real(file) ? 1000u + (unsigned int)file : 0;
}

bool file_is_deleted(const struct kernel *k, int file, uint32_t version)
{
	return k->file[file].kind == REC_FILE_PATH && version % 4 == 3;
}
