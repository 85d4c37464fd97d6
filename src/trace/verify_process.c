// SPDX-License-Identifier: GPL-2.0-only
#include "trace/verify_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/array.h"
#include "base/escape.h"
#include "trace/maps_compare.h"
#include "trace/proc_file.h"
#include "trace/proc_identity.h"
#include "atlas/maps.h"

void findings_reset(struct findings *findings)
{
	findings->nr = 0;
	findings->threads = 0;
	findings->mappings = 0;
	findings->vanished = false;
	buffer_reset(&findings->texts);
}

void findings_done(struct findings *findings)
{
	free(findings->differences);
	buffer_done(&findings->texts);
	*findings = (struct findings){};
}

uint64_t findings_print(const struct findings *findings)
{
	return findings->nr ? XXH3_64bits(findings->texts.data, findings->texts.len) | 1 : 0;
}

/* Begin a difference: the atlas's line is written next. NULL = no memory; the text has the error.
 */
static struct difference *add(struct findings *f, enum verify_kind kind)
{
	struct difference *d;

	if (array_reserve(&f->differences, &f->room, f->nr + 1, sizeof(*f->differences))) {
		f->texts.error = -ENOMEM;
		return NULL;
	}
	d = &f->differences[f->nr++];
	*d = (struct difference){.kind = kind, .atlas = f->texts.len};
	return d;
}

static void text_end(struct findings *f)
{
	buffer_add(&f->texts, "", 1);
}

__attribute__((format(printf, 5, 6))) static void differ(struct findings *f, enum verify_kind kind,
							 const char *what, bool same,
							 const char *format, ...)
{
	struct difference *d;
	va_list args;
	char text[128], *split;

	if (same)
		return;
	d = add(f, kind);
	if (!d)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	split = strchr(text, '|');
	*split = '\0';
	buffer_format(&f->texts, "%s %s", what, text);
	text_end(f);
	d->proc = f->texts.len;
	buffer_format(&f->texts, "%s %s", what, split + 1);
	text_end(f);
}

static void comm_differ(struct findings *f, const char *what, uint32_t tid, const char *ours,
			const char *theirs, bool kthread)
{
	size_t len = strnlen(ours, REC_COMM_BYTES);
	struct difference *d;

	/* /proc makes the names of kernel threads longer than what the task has. */
	if (!strncmp(ours, theirs, kthread ? len : REC_COMM_BYTES - 1))
		return;
	d = add(f, VERIFY_IDENTITY);
	if (!d)
		return;
	buffer_format(&f->texts, "%s %u ", what, tid);
	escape_text(&f->texts, ours, len, true);
	text_end(f);
	d->proc = f->texts.len;
	buffer_format(&f->texts, "%s %u ", what, tid);
	escape_text(&f->texts, theirs, strnlen(theirs, REC_COMM_BYTES), true);
	text_end(f);
}

static void line_text(struct buffer *out, const struct maps_line *l)
{
	buffer_format(out, "%08" PRIx64 "-%08" PRIx64 " %s%c %08" PRIx64 " %02x:%02x %" PRIu64 " ",
		      l->start, l->end, l->prot, l->shared ? 's' : 'p', l->offset, l->major,
		      l->minor, l->inode);
	buffer_add_text(out, l->before);
	if (l->name)
		escape_text(out, l->name, l->name_len, true);
	buffer_add_text(out, l->after);
}

static void proc_text(struct buffer *out, const struct proc_mapping *m)
{
	buffer_format(
	    out, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " %02x:%02x %" PRIu64 " ",
	    m->start, m->end, m->flags & REC_MAP_READ ? 'r' : '-',
	    m->flags & REC_MAP_WRITE ? 'w' : '-', m->flags & REC_MAP_EXEC ? 'x' : '-',
	    m->flags & REC_MAP_SHARED ? 's' : 'p', m->offset, m->major, m->minor, m->inode);
	escape_text(out, m->name, m->name_len, true);
}

static void mapping_differ(void *ctx, enum verify_kind kind, const struct maps_line *line,
			   const struct proc_mapping *proc)
{
	struct findings *f = ctx;
	struct difference *d = add(f, kind);

	if (!d)
		return;
	if (line)
		line_text(&f->texts, line);
	text_end(f);
	d->proc = f->texts.len;
	if (proc)
		proc_text(&f->texts, proc);
	text_end(f);
}

struct threads {
	struct findings *f;
	const struct atlas *atlas;
	const struct process *process;
	uint32_t seen;    /* in /proc */
	uint32_t running; /* one that has not exited; 0 = none */
};

/* A thread of /proc: a dead leader stays there as long as others run. */
static int thread_see(void *ctx, uint32_t tid)
{
	struct threads *t = ctx;
	const struct process *owner = NULL;
	const struct task *task = atlas_task(t->atlas, tid, &owner);
	char comm[REC_COMM_BYTES];

	t->seen++;
	if (!task || owner != t->process) {
		if (tid == t->process->tgid)
			return 0;
		differ(t->f, VERIFY_THREAD_MISSING, "thread", false, "-|%u", tid);
		return 0;
	}
	if (!task->leader_exited)
		t->running = tid;
	if (!proc_comm_read(t->process->tgid, tid, comm))
		comm_differ(t->f, "name of thread", tid, task->comm, comm,
			    t->process->flags & PROCESS_KTHREAD);
	t->f->threads++;
	return 0;
}

static void threads_extra(struct threads *t)
{
	struct task_iter it = atlas_threads(t->process);
	const struct task *task;
	char comm[REC_COMM_BYTES];

	while ((task = task_next(&it)))
		if (proc_comm_read(t->process->tgid, task->tid, comm))
			differ(t->f, VERIFY_THREAD_EXTRA, "thread", false, "%u|-", task->tid);
}

static void identity_compare(struct findings *f, const struct process *p,
			     const struct proc_identity *proc)
{
	comm_differ(f, "name of", p->tgid, p->comm, proc->comm, p->flags & PROCESS_KTHREAD);
	differ(f, VERIFY_IDENTITY, "parent", p->parent_tgid == proc->ppid, "%u|%u", p->parent_tgid,
	       proc->ppid);
	differ(f, VERIFY_IDENTITY, "uid", p->uid == proc->uid, "%u|%u", p->uid, proc->uid);
	differ(f, VERIFY_IDENTITY, "gid", p->gid == proc->gid, "%u|%u", p->gid, proc->gid);
	if (p->state == PROCESS_RUNNING)
		differ(f, VERIFY_IDENTITY, "pid in its namespace", p->ns_tgid == proc->ns_tgid,
		       "%u|%u", p->ns_tgid, proc->ns_tgid);
}

/* A process that is in just one of the two. */
static int one_sided(struct findings *f, const struct process *process, bool in_proc)
{
	bool in_atlas =
	    process && (process->state == PROCESS_RUNNING || process->state == PROCESS_ZOMBIE);

	if (in_proc == in_atlas)
		f->vanished = !in_proc;
	else
		differ(f, in_proc ? VERIFY_PROCESS_MISSING : VERIFY_PROCESS_EXTRA, "process", false,
		       "%s|%s",
		       !in_atlas                          ? "none"
		       : process->state == PROCESS_ZOMBIE ? "zombie"
							  : "running",
		       in_proc ? "there" : "none");
	return 0;
}

/* A kernel that refuses us the mappings of a process may hide it from walks as well. */
static bool maps_refused(uint32_t tgid)
{
	char path[64], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	err = proc_file_read(path, &text, &len);
	if (!err)
		free(text);
	return err == -EPERM || err == -EACCES;
}

static bool gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

int verify_process(const struct atlas *atlas, const struct host *host, uint32_t tgid,
		   struct findings *ret)
{
	const struct process *process = atlas_process(atlas, tgid);
	struct threads threads = {.f = ret, .atlas = atlas, .process = process};
	struct proc_identity proc;
	char path[64];
	long equal;
	int err = proc_identity_read(tgid, &proc);

	findings_reset(ret);
	if (err && !gone(err))
		return err;
	if (err || !process || process->state == PROCESS_GONE)
		return !err && !process && maps_refused(tgid) ? -EPERM
							      : one_sided(ret, process, !err);
	differ(ret, VERIFY_IDENTITY, "state",
	       (process->state == PROCESS_ZOMBIE) == proc.zombie || process->nr_threads, "%s|%s",
	       process->state == PROCESS_ZOMBIE ? "zombie" : "running",
	       proc.zombie ? "zombie" : "running");
	identity_compare(ret, process, &proc);
	if (process->state == PROCESS_ZOMBIE)
		return buffer_error(&ret->texts);
	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	err = proc_numbers(path, thread_see, &threads);
	if (err)
		return gone(err) ? one_sided(ret, process, false) : err;
	threads_extra(&threads);
	snprintf(path, sizeof(path), "/proc/%u/task/%u/maps", tgid,
		 threads.running ? threads.running : tgid);
	equal = maps_compare(atlas, host, process, path, mapping_differ, ret);
	if (equal < 0)
		return gone((int)equal) ? one_sided(ret, process, false) : (int)equal;
	ret->mappings = (uint64_t)equal;
	return buffer_error(&ret->texts);
}
