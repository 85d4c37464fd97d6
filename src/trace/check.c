// SPDX-License-Identifier: GPL-2.0-only
/* One function an item; the table says in which order, and which are cheap. */
#include "trace/check.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "trace/proc_file.h"
#include "trace/tracefs.h"

#define INITIAL_PID_NS 0xEFFFFFFCu /* PROC_PID_INIT_INO, include/linux/proc_ns.h */
#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"
#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"
#define BTF_PATH "/sys/kernel/btf/vmlinux"

/* What the items share, read once. */
struct machine {
	uint64_t capabilities; /* effective */
	struct btf *btf;       /* NULL = none, or not asked for */
};

struct probe {
	const char *name, *what_for;
	bool cheap;
	int error; /* of the item when it is missing */
	void (*run)(const struct machine *machine, struct check_item *item);
};

__attribute__((format(printf, 3, 4))) static void
result(struct check_item *item, enum check_result result, const char *format, ...)
{
	va_list args;

	item->result = result;
	va_start(args, format);
	vsnprintf(item->found, sizeof(item->found), format, args);
	va_end(args);
}

static void advise(struct check_item *item, const char *advice)
{
	snprintf(item->advice, sizeof(item->advice), "%s", advice);
}

static uint64_t capabilities_read(void)
{
	char *status, *line;
	uint64_t caps = 0;
	size_t len;

	if (proc_file_read("/proc/self/status", &status, &len))
		return 0;
	line = strstr(status, "\nCapEff:");
	if (line)
		caps = strtoull(line + 8, NULL, 16);
	free(status);
	return caps;
}

static bool has(const struct machine *machine, int capability)
{
	return machine->capabilities & (1ull << capability);
}

static void capability_check(const struct machine *machine, struct check_item *item, int capability,
			     const char *advice)
{
	if (has(machine, capability)) {
		result(item, CHECK_OK, "effective");
		return;
	}
	if (has(machine, CAP_SYS_ADMIN)) {
		result(item, CHECK_OK, "CAP_SYS_ADMIN stands in for it");
		return;
	}
	result(item, CHECK_MISSING, "not effective");
	advise(item, advice);
}

static void cap_bpf(const struct machine *machine, struct check_item *item)
{
	capability_check(machine, item, CAP_BPF, "run as root, or with CAP_BPF and CAP_PERFMON");
}

static void cap_perfmon(const struct machine *machine, struct check_item *item)
{
	capability_check(machine, item, CAP_PERFMON,
			 "run as root, or with CAP_BPF and CAP_PERFMON");
}

static void cap_ptrace(const struct machine *machine, struct check_item *item)
{
	if (has(machine, CAP_SYS_PTRACE)) {
		result(item, CHECK_OK, "effective");
		return;
	}
	result(item, CHECK_DEGRADED, "not effective");
	advise(item, "verify cannot read /proc/PID/maps of other users' processes");
}

static void pid_namespace(const struct machine *machine, struct check_item *item)
{
	struct stat ns;

	(void)machine;
	if (stat("/proc/self/ns/pid", &ns)) {
		result(item, CHECK_MISSING, "/proc/self/ns/pid: %s", strerror(errno));
		advise(item, "mount /proc");
	} else if (ns.st_ino != INITIAL_PID_NS) {
		result(item, CHECK_MISSING, "pid:[%lu], not the host's", (unsigned long)ns.st_ino);
		advise(item,
		       "run in the host's pid namespace (containers: --pid=host); from inside "
		       "another one only some tasks can be walked");
	} else {
		result(item, CHECK_OK, "the host's");
	}
}

static void btf_file(const struct machine *machine, struct check_item *item)
{
	(void)machine;
	if (!access(BTF_PATH, R_OK)) {
		result(item, CHECK_OK, BTF_PATH);
		return;
	}
	result(item, CHECK_MISSING, BTF_PATH ": %s", strerror(errno));
	advise(item, "use a kernel with CONFIG_DEBUG_INFO_BTF=y");
}

static void lockdown(const struct machine *machine, struct check_item *item)
{
	char *text;
	size_t len;

	(void)machine;
	if (proc_file_read(LOCKDOWN_PATH, &text, &len)) {
		result(item, CHECK_OK, "not there");
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	if (strstr(text, "[confidentiality]")) {
		result(item, CHECK_MISSING, "%.100s", text);
		advise(item, "boot with lockdown=integrity or none: confidentiality forbids BPF to "
			     "read kernel memory");
	} else {
		result(item, CHECK_OK, "%.100s", text);
	}
	free(text);
}

static void kernel_release(const struct machine *machine, struct check_item *item)
{
	struct utsname names;

	(void)machine;
	if (uname(&names))
		result(item, CHECK_DEGRADED, "unknown");
	else
		result(item, CHECK_OK, "Linux %.100s %.32s", names.release, names.machine);
}

static bool has_member(const struct btf *btf, const char *name, const char *member)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	bool found = false;

	for (__u16 i = 0; type && !found && i < btf_vlen(type); i++) {
		const struct btf_member *m = &btf_members(type)[i];
		const char *field = btf__name_by_offset(btf, m->name_off);

		found = !strcmp(field, member);
		if (!found && !*field) { /* an anonymous struct or union inside, one level */
			const struct btf_type *inner = btf__type_by_id(btf, m->type);

			for (__u16 k = 0; inner && btf_is_composite(inner) && k < btf_vlen(inner);
			     k++)
				found |= !strcmp(
				    btf__name_by_offset(btf, btf_members(inner)[k].name_off),
				    member);
		}
	}
	return found;
}

static void maple_tree(const struct machine *machine, struct check_item *item)
{
	if (!machine->btf)
		result(item, CHECK_DEGRADED, "unknown without BTF");
	else if (has_member(machine->btf, "mm_struct", "mm_mt"))
		result(item, CHECK_OK, "mm_struct.mm_mt");
	else
		result(item, CHECK_MISSING, "mm_struct has no mm_mt");
	if (item->result != CHECK_OK)
		advise(item, "use Linux 6.1 or later");
}

static void tracepoints(const struct machine *machine, struct check_item *item)
{
	static const char *const names[] = {
	    "btf_trace_task_newtask",          "btf_trace_sched_process_exec",
	    "btf_trace_sched_process_exit",    "btf_trace_sched_process_free",
	    "btf_trace_task_rename",           "btf_trace_cgroup_attach_task",
	    "btf_trace_cgroup_transfer_tasks",
	};

	if (!machine->btf) {
		result(item, CHECK_DEGRADED, "unknown without BTF");
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (btf__find_by_name_kind(machine->btf, names[i], BTF_KIND_TYPEDEF) > 0)
			continue;
		result(item, CHECK_MISSING, "no %s", names[i] + strlen("btf_trace_"));
		advise(item, "use a kernel with CONFIG_TRACEPOINTS, CONFIG_CGROUPS and BTF");
		return;
	}
	result(item, CHECK_OK, "all of them");
}

static void tracefs(const struct machine *machine, struct check_item *item)
{
	struct message why = {};
	int events = tracefs_events_open(&why), number;

	(void)machine;
	if (events < 0) {
		result(item, CHECK_MISSING, "%s", strerror(-events));
		advise(item, "mount -t tracefs tracefs /sys/kernel/tracing (containers: -v "
			     "/sys/kernel/tracing:/sys/kernel/tracing:ro)");
		return;
	}
	number = tracefs_event_number(events, "syscalls/sys_exit_mmap");
	close(events);
	if (number > 0) {
		result(item, CHECK_OK, "syscalls tracepoints are there");
		return;
	}
	result(item, CHECK_MISSING, "no syscalls tracepoints: %s", strerror(-number));
	advise(item, number == -EACCES ? "run as root, or with CAP_DAC_READ_SEARCH"
				       : "use a kernel with CONFIG_FTRACE_SYSCALLS=y");
}

static void paranoid(const struct machine *machine, struct check_item *item)
{
	char *text;
	size_t len;
	int level;

	if (proc_file_read(PARANOID_PATH, &text, &len)) {
		result(item, CHECK_MISSING, PARANOID_PATH " is not there");
		advise(item, "use a kernel with CONFIG_PERF_EVENTS=y");
		return;
	}
	level = atoi(text);
	free(text);
	if (level <= 2 || has(machine, CAP_SYS_ADMIN)) {
		result(item, CHECK_OK, "%d", level);
		return;
	}
	result(item, CHECK_MISSING, "%d", level);
	advise(item, "sysctl kernel.perf_event_paranoid=2, or run with CAP_SYS_ADMIN: above 2 "
		     "CAP_PERFMON may not attach to tracepoints of system calls");
}

static const struct probe probes[] = {
    {"kernel", "what runs here", false, 0, kernel_release},
    {"CAP_BPF", "load programs and maps", true, -EPERM, cap_bpf},
    {"CAP_PERFMON", "attach them, read kernel memory", true, -EPERM, cap_perfmon},
    {"CAP_SYS_PTRACE", "verify: compare with /proc", false, -EPERM, cap_ptrace},
    {"pid-namespace", "walk over all tasks", true, -EPERM, pid_namespace},
    {"lockdown", "read kernel memory", true, -EPERM, lockdown},
    {"BTF", "layout of the kernel's structs", true, -ENOSYS, btf_file},
    {"maple-tree", "read mappings without their lock", false, -ENOSYS, maple_tree},
    {"tracepoints", "fork, exec, exit, rename, cgroups", false, -ENOSYS, tracepoints},
    {"tracefs", "numbers of the syscalls tracepoints", false, -ENOSYS, tracefs},
    {"perf_event_paranoid", "attach to the syscalls tracepoints", false, -EPERM, paranoid},
};
#define NR_PROBES (sizeof(probes) / sizeof(probes[0]))
_Static_assert(NR_PROBES <= CHECK_ITEMS_MAX, "room for all items");

static void run(size_t i, const struct machine *machine, struct check_item *item)
{
	*item = (struct check_item){.name = probes[i].name, .what_for = probes[i].what_for};
	probes[i].run(machine, item);
}

size_t check_all(struct check_item items[CHECK_ITEMS_MAX])
{
	struct machine machine = {.capabilities = capabilities_read(),
				  .btf = btf__load_vmlinux_btf()};

	for (size_t i = 0; i < NR_PROBES; i++)
		run(i, &machine, &items[i]);
	btf__free(machine.btf);
	return NR_PROBES;
}

int check_required(int deep, struct message *why)
{
	struct machine machine = {.capabilities = capabilities_read()};
	int err = 0;

	if (deep)
		machine.btf = btf__load_vmlinux_btf();
	for (size_t i = 0; !err && i < NR_PROBES; i++) {
		struct check_item item;

		if (!deep && !probes[i].cheap)
			continue;
		run(i, &machine, &item);
		if (item.result == CHECK_MISSING)
			err = message_set(why, probes[i].error, "%s is missing (%s): %s: %s",
					  item.name, item.what_for, item.found, item.advice);
	}
	btf__free(machine.btf);
	return err;
}
