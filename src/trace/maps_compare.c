// SPDX-License-Identifier: GPL-2.0-only
/* Both sides are sorted by start: one pass, like a merge. */
#include "trace/maps_compare.h"

#include <string.h>

#include "atlas/maps.h"

struct comparing {
	struct maps_iter lines;
	struct maps_line line; /* the atlas's next one */
	bool more;             /* is there one? */
	long equal;
	maps_difference_fn fn;
	void *ctx;
};

static void line_next(struct comparing *c)
{
	c->more = maps_next(&c->lines, &c->line);
}

static void differ(struct comparing *c, enum verify_kind kind, const struct maps_line *line,
		   const struct proc_mapping *proc)
{
	if (c->fn)
		c->fn(c->ctx, kind, line, proc);
}

static bool same_attributes(const struct maps_line *line, const struct proc_mapping *proc)
{
	return line->end == proc->end && line->offset == proc->offset &&
	       line->major == proc->major && line->minor == proc->minor &&
	       line->inode == proc->inode &&
	       (line->prot[0] == 'r') == !!(proc->flags & REC_MAP_READ) &&
	       (line->prot[1] == 'w') == !!(proc->flags & REC_MAP_WRITE) &&
	       (line->prot[2] == 'x') == !!(proc->flags & REC_MAP_EXEC) &&
	       line->shared == !!(proc->flags & REC_MAP_SHARED);
}

/* Is the name before + name + after? Of a cut one just the tail is known. */
static bool same_name(const struct maps_line *line, const struct proc_mapping *proc)
{
	size_t before = line->cut ? 0 : strlen(line->before), after = strlen(line->after);
	size_t len = before + line->name_len + after;
	const char *name = proc->name;

	if (!line->name)
		return !proc->name_len;
	if (proc->name_len < len || (!line->cut && proc->name_len != len))
		return false;
	name += proc->name_len - len;
	return !memcmp(name, line->before, before) &&
	       !memcmp(name + before, line->name, line->name_len) &&
	       !memcmp(name + before + line->name_len, line->after, after);
}

static int proc_see(void *ctx, const struct proc_mapping *proc)
{
	struct comparing *c = ctx;

	for (; c->more && c->line.start < proc->start; line_next(c))
		differ(c, VERIFY_MAPPING_EXTRA, &c->line, NULL);
	if (!c->more || c->line.start > proc->start) {
		differ(c, VERIFY_MAPPING_MISSING, NULL, proc);
		return 0;
	}
	if (!same_attributes(&c->line, proc))
		differ(c, VERIFY_MAPPING_DIFFERS, &c->line, proc);
	else if (!same_name(&c->line, proc))
		differ(c, VERIFY_NAME, &c->line, proc);
	else
		c->equal++;
	line_next(c);
	return 0;
}

long maps_compare(const struct atlas *atlas, const struct host *host, const struct process *process,
		  const char *path, maps_difference_fn fn, void *ctx)
{
	struct comparing c = {.lines = maps_lines(atlas, host, process), .fn = fn, .ctx = ctx};
	int err;

	line_next(&c);
	err = proc_maps_read(path, proc_see, &c);
	if (err)
		return err;
	for (; c.more; line_next(&c))
		differ(&c, VERIFY_MAPPING_EXTRA, &c.line, NULL);
	return c.equal;
}
