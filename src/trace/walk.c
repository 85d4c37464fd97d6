// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks. read() comes back every few tasks, and when the program asks for the ring to be drained
 * first (EAGAIN: it wants the same task again); in between the ring is drained.
 */
#include "trace/kernel_private.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

#define TASKS_A_READ 64
#define DRAINS_BEFORE 64 /* then it is a flood, and its losses will bring another walk */

/* An open iterator over all tasks, over the threads of tgid, or over the task tid; or -errno. */
static int walk_open(struct kernel *kernel, uint32_t tgid, uint32_t tid, struct bpf_link **ret_link)
{
	union bpf_iter_link_info info = {.task = {.pid = tgid, .tid = tid}};
	DECLARE_LIBBPF_OPTS(bpf_iter_attach_opts, opts);
	struct bpf_link *link;
	int fd;

	if (tgid || tid) {
		opts.link_info = &info;
		opts.link_info_len = sizeof(info);
	}
	link = bpf_program__attach_iter(kernel->skel->progs.walk, &opts);
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		fd = -errno;
		bpf_link__destroy(link);
		return fd;
	}
	*ret_link = link;
	return fd;
}

/* Read to the end, draining in between. 0, or an error of read() or of the sink. */
static int walk_read(struct kernel *kernel, int fd)
{
	char met[TASKS_A_READ];

	for (;;) {
		ssize_t got = read(fd, met, sizeof(met));
		int err;

		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		err = kernel_drain(kernel);
		if (err < 0 || got == 0)
			return err < 0 ? err : 0;
	}
}

static int walk_mark(struct kernel *kernel, uint32_t kind, uint32_t tgid, uint32_t flags)
{
	struct rec_walk record = {
	    .hdr = {.kind = (uint16_t)kind,
		    .flags = REC_F_WALK,
		    .size = sizeof(record),
		    .time_ns = kernel_now_ns(),
		    .tgid = tgid},
	    .walk = kernel->walks,
	    .walk_flags = flags,
	};

	return kernel->sink(kernel->ctx, &record, sizeof(record));
}

static void walk_set(struct kernel *kernel, enum walk_mode mode, uint32_t tgid, uint32_t flags)
{
	struct taskatlas__bss *bss = kernel->skel->bss;

	bss->walk_number = ++kernel->walks;
	bss->walk_mode = mode;
	bss->walk_flags = flags;
	bss->walk_tgid = tgid;
	bss->walk_space = 0;
	bss->walk_at = 0;
}

/*
 * What is in the ring now is older than the walk, and must not count as met by it: a birth whose
 * end was lost would never be swept.
 */
static int drain_before(struct kernel *kernel)
{
	int more = 1;

	for (int i = 0; more > 0 && i < DRAINS_BEFORE; i++)
		more = kernel_drain(kernel);
	return more < 0 ? more : kernel_losses(kernel, true);
}

int kernel_walk(struct kernel *kernel, uint32_t tgid, uint32_t flags, struct message *why)
{
	struct bpf_link *link;
	int fd, err;

	flags |= tgid ? 0 : REC_WALK_FULL;
	err = tgid ? 0 : drain_before(kernel);
	if (err < 0)
		return message_set(why, err, "cannot drain the ring: %s", strerror(-err));
	walk_set(kernel, WALK_OBSERVE, tgid, flags);
	err = walk_mark(kernel, REC_WALK_BEGIN, tgid, flags);
	if (err)
		return err;
	fd = walk_open(kernel, tgid, 0, &link);
	if (fd == -ESRCH || fd == -EINVAL ||
	    fd == -ENOENT) /* the process is gone: nothing to see */
		return tgid ? walk_mark(kernel, REC_WALK_END, tgid, flags) : fd;
	if (fd < 0)
		return message_set(why, fd, "cannot walk over the tasks: %s", strerror(-fd));
	err = walk_read(kernel, fd);
	close(fd);
	bpf_link__destroy(link);
	if (!err && kernel->skel->bss->walk_ended != kernel->walks)
		err = walk_mark(kernel, REC_WALK_END, tgid, flags | REC_WALK_FAILED);
	return err < 0
		   ? message_set(why, err, "the walk over the tasks stopped: %s", strerror(-err))
		   : 0;
}

int kernel_learn(struct kernel *kernel, struct message *why)
{
	struct bpf_link *link;
	int fd, err;

	kernel->skel->bss->learn_vdso = getauxval(AT_SYSINFO_EHDR);
	walk_set(kernel, WALK_LEARN, 0, 0);
	fd = walk_open(kernel, 0, (uint32_t)gettid(), &link);
	if (fd < 0)
		return message_set(why, fd, "cannot walk over our own task: %s%s", strerror(-fd),
				   fd == -ESRCH ? " (not the host's pid namespace?)" : "");
	err = walk_read(kernel, fd);
	close(fd);
	bpf_link__destroy(link);
	if (!err && !kernel->skel->bss->root_dentry)
		err = -ENODATA;
	return err ? message_set(why, err, "a walk over our own task does not see it: %s",
				 strerror(-err))
		   : 0;
}
