// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching the hooks. The tracepoints of system calls share one program; the attach cookie says
 * which call it is. Their numbers are read from tracefs, by a mount of our own that nobody else
 * sees where the host has none.
 */
#include "trace/kernel_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/tracefs.h"

struct call_hook {
	const char *name; /* of the system call */
	int number;
	enum call call;
	bool optional; /* newer than the oldest kernel, or not everywhere configured */
};

static const struct call_hook calls[] = {
    {"mmap", SYS_mmap, CALL_MMAP, false},
    {"munmap", SYS_munmap, CALL_MUNMAP, false},
    {"mremap", SYS_mremap, CALL_MREMAP, false},
    {"mprotect", SYS_mprotect, CALL_MPROTECT, false},
    {"pkey_mprotect", SYS_pkey_mprotect, CALL_MPROTECT, true},
    {"brk", SYS_brk, CALL_BRK, false},
    {"madvise", SYS_madvise, CALL_ADVISE, false},
    {"mlock", SYS_mlock, CALL_RANGE, false},
    {"mlock2", SYS_mlock2, CALL_RANGE, true},
    {"munlock", SYS_munlock, CALL_RANGE, false},
    {"mbind", SYS_mbind, CALL_RANGE, true},
    {"set_mempolicy_home_node", 450, CALL_RANGE, true},
    {"mseal", 462, CALL_RANGE, true},
    {"remap_file_pages", SYS_remap_file_pages, CALL_RANGE, true},
    {"shmat", SYS_shmat, CALL_SHM, true},
    {"shmdt", SYS_shmdt, CALL_SHM, true},
    {"mlockall", SYS_mlockall, CALL_WHOLE, false},
    {"munlockall", SYS_munlockall, CALL_WHOLE, false},
    {"io_setup", SYS_io_setup, CALL_WHOLE, true},
    {"io_destroy", SYS_io_destroy, CALL_WHOLE, true},
    {"map_shadow_stack", 453, CALL_WHOLE, true},
    {"prctl", SYS_prctl, CALL_PRCTL, false},
    {"arch_prctl", SYS_arch_prctl, CALL_ARCH_PRCTL, true},
    {"setuid", SYS_setuid, CALL_IDENTITY, false},
    {"setgid", SYS_setgid, CALL_IDENTITY, false},
    {"setreuid", SYS_setreuid, CALL_IDENTITY, false},
    {"setregid", SYS_setregid, CALL_IDENTITY, false},
    {"setresuid", SYS_setresuid, CALL_IDENTITY, false},
    {"setresgid", SYS_setresgid, CALL_IDENTITY, false},
    {"setns", SYS_setns, CALL_IDENTITY, true},
    {"unshare", SYS_unshare, CALL_IDENTITY, true},
};

/* Calls that hold the lock of a space for writing and are observed by other hooks, at fork and
 * exec. */
static const int other_calls[] = {SYS_execve, SYS_execveat, SYS_clone,
				  SYS_clone3, SYS_fork,     SYS_vfork};

static int keep(struct kernel *kernel, struct bpf_link *link)
{
	if (!link)
		return -errno;
	if (kernel->nr_links == KERNEL_LINKS_MAX) {
		bpf_link__destroy(link);
		return -E2BIG;
	}
	kernel->links[kernel->nr_links++] = link;
	return 0;
}

/* Attach the program of all calls to one tracepoint. */
static int call_attach(struct kernel *kernel, unsigned int tracepoint, enum call call)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_TRACEPOINT,
	    .size = sizeof(attr),
	    .config = tracepoint,
	    .sample_period = 1,
	    .wakeup_events = 1,
	};
	DECLARE_LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = call);
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = keep(kernel,
		   bpf_program__attach_perf_event_opts(kernel->skel->progs.on_call, fd, &opts));
	if (err) /* on success the link owns the descriptor */
		close(fd);
	return err;
}

static int calls_attach(struct kernel *kernel, struct message *why)
{
	int events = tracefs_events_open(why), err = 0;

	if (events < 0)
		return events;
	for (size_t i = 0; !err && i < sizeof(calls) / sizeof(calls[0]); i++) {
		char name[64];
		int number;

		snprintf(name, sizeof(name), "syscalls/sys_exit_%s", calls[i].name);
		number = tracefs_event_number(events, name);
		if (number == -ENOENT && calls[i].optional)
			continue;
		err =
		    number < 0 ? number : call_attach(kernel, (unsigned int)number, calls[i].call);
		if (err)
			message_set(
			    why, err, "cannot attach %s: %s%s", name, strerror(-err),
			    err == -EACCES || err == -EPERM
				? " (needs CAP_PERFMON and kernel.perf_event_paranoid <= 2, "
				  "or CAP_SYS_ADMIN; see taskatlas check)"
				: "");
	}
	close(events);
	return err;
}

static int call_mark(struct kernel *kernel, int number)
{
	__u32 key = (__u32)number;
	__u8 yes = 1;

	return bpf_map__update_elem(kernel->skel->maps.calls_hooked, &key, sizeof(key), &yes,
				    sizeof(yes), BPF_ANY);
}

/* Which calls the lock hook may ignore. */
static int calls_mark(struct kernel *kernel, bool hooked, struct message *why)
{
	int err = 0;

	for (size_t i = 0; !err && hooked && i < sizeof(calls) / sizeof(calls[0]); i++)
		err = call_mark(kernel, calls[i].number);
	for (size_t i = 0; !err && i < sizeof(other_calls) / sizeof(other_calls[0]); i++)
		err = call_mark(kernel, other_calls[i]);
	return err ? message_set(why, err, "cannot fill a BPF map: %s", strerror(-err)) : 0;
}

static int hook_attach(struct kernel *kernel, const struct bpf_program *program,
		       struct message *why)
{
	int err = keep(kernel, bpf_program__attach(program));

	if (err)
		message_set(why, err, "cannot attach %s: %s%s", bpf_program__section_name(program),
			    strerror(-err),
			    err == -EPERM ? " (needs CAP_BPF and CAP_PERFMON; see taskatlas check)"
					  : "");
	return err;
}

static bool is_loaded(const struct bpf_program *program)
{
	return bpf_program__fd(program) >= 0; /* else this kernel cannot have it */
}

/* Ends before births: what is born is told while its end cannot be missed. */
int kernel_attach(struct kernel *kernel, bool brief, struct message *why)
{
	const struct bpf_program *hooks[] = {
	    kernel->skel->progs.on_free,     kernel->skel->progs.on_exit,
	    kernel->skel->progs.on_rename,   kernel->skel->progs.on_attach,
	    kernel->skel->progs.on_transfer, kernel->skel->progs.on_exec,
	    kernel->skel->progs.on_newtask,  kernel->skel->progs.on_unlock,
	};
	bool calls_too = !brief || !is_loaded(kernel->skel->progs.on_unlock);
	int err = calls_mark(kernel, calls_too, why);

	if (!err && calls_too)
		err = calls_attach(kernel, why);
	for (size_t i = 0; !err && i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (is_loaded(hooks[i]))
			err = hook_attach(kernel, hooks[i], why);
	if (err)
		kernel_detach(kernel);
	return err;
}

void kernel_detach(struct kernel *kernel)
{
	while (kernel->nr_links)
		bpf_link__destroy(kernel->links[--kernel->nr_links]);
}
