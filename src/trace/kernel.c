// SPDX-License-Identifier: GPL-2.0-only
/* Loading, learning, draining. */
#include "trace/kernel_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/btf.h>

#include "trace/cgroups.h"

#define RING_DEFAULT_MIN (4ull << 20)
#define RING_DEFAULT_MAX (64ull << 20)
#define RING_BYTES_PER_CPU (8ull << 20)
#define DRAIN_BUDGET 65536 /* records */
#define SCRATCH_PER_CPU 4  /* bpf/state.bpf.h */

uint64_t kernel_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t ring_default(int nr_cpus)
{
	uint64_t bytes = RING_DEFAULT_MIN;

	while (bytes < RING_DEFAULT_MAX && bytes < RING_BYTES_PER_CPU * (uint64_t)nr_cpus)
		bytes *= 2;
	return bytes;
}

static int on_record(void *ctx, void *record, size_t size)
{
	struct kernel *kernel = ctx;
	const struct rec_hdr *hdr = record;
	int err;

	/* Whether the walk was whole is decided when it ends: first hear what was lost before. */
	if (hdr->kind == REC_WALK_END) {
		err = kernel_losses(kernel, true);
		if (err < 0)
			return err;
	}
	err = kernel->sink(kernel->ctx, record, size);
	return err ? err : ++kernel->drained < DRAIN_BUDGET ? 0 : -EAGAIN;
}

static void knobs_set(struct kernel *kernel, const struct kernel_options *options, int nr_cpus)
{
	struct taskatlas *skel = kernel->skel;

	kernel->ring_bytes = options->ring_bytes ? options->ring_bytes : ring_default(nr_cpus);
	bpf_map__set_max_entries(skel->maps.ring, (uint32_t)kernel->ring_bytes);
	bpf_map__set_max_entries(skel->maps.scratches, SCRATCH_PER_CPU * (uint32_t)nr_cpus);
	skel->rodata->ring_bytes = kernel->ring_bytes;
	skel->rodata->wake_bytes = kernel->ring_bytes / 4;
	skel->rodata->args_bytes = options->args_bytes;
	skel->rodata->cgroup_v1_subsys = cgroup_v1_subsys();
}

/*
 * Does mmap_lock_released have (mm, write) as its arguments? Older kernels build a cgroup path for
 * it whenever it is enabled.
 */
static bool unlock_is_cheap(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "btf_trace_mmap_lock_released", BTF_KIND_TYPEDEF)
		     : -1;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	bool cheap = false;

	if (type)
		type = btf__type_by_id(btf, type->type); /* pointer */
	if (type)
		type = btf__type_by_id(btf, type->type); /* to a function */
	if (type && btf_is_func_proto(type))
		cheap = btf_vlen(type) == 3; /* with the tracepoint's own first argument */
	btf__free(btf);
	return cheap;
}

static int load(struct kernel *kernel, const struct kernel_options *options, struct message *why)
{
	int nr_cpus = libbpf_num_possible_cpus(), err;

	if (nr_cpus < 0)
		return message_set(why, nr_cpus, "cannot count CPUs: %s", strerror(-nr_cpus));
	kernel->skel = taskatlas__open();
	if (!kernel->skel)
		return message_set(why, -errno, "cannot open the BPF programs: %s",
				   strerror(errno));
	knobs_set(kernel, options, nr_cpus);
	bpf_program__set_autoload(kernel->skel->progs.on_unlock, unlock_is_cheap());
	err = taskatlas__load(kernel->skel);
	if (err)
		return message_set(why, err,
				   "cannot load the BPF programs: %s (see taskatlas check)",
				   strerror(-err));
	kernel->ring =
	    ring_buffer__new(bpf_map__fd(kernel->skel->maps.ring), on_record, kernel, NULL);
	if (!kernel->ring)
		return message_set(why, -errno, "cannot map the BPF ring buffer: %s",
				   strerror(errno));
	return 0;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int kernel_new(struct kernel **ret, const struct kernel_options *options, struct message *why)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));
	int err;

	if (!kernel)
		return message_set(why, -ENOMEM, "out of memory");
	kernel->sink = options->sink;
	kernel->ctx = options->ctx;
	if (!getenv("TASKATLAS_LIBBPF_LOG"))
		libbpf_set_print(quiet);
	err = load(kernel, options, why);
	if (!err)
		err = kernel_learn(kernel, why);
	if (err) {
		kernel_free(kernel);
		return err;
	}
	*ret = kernel;
	return 0;
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	kernel_detach(kernel);
	ring_buffer__free(kernel->ring);
	taskatlas__destroy(kernel->skel);
	free(kernel);
}

int kernel_drain(struct kernel *kernel)
{
	int got;

	kernel->drained = 0;
	got = ring_buffer__consume(kernel->ring);
	if (got == -EAGAIN)
		return 1;
	return got < 0 ? got : 0;
}

void kernel_names_again(struct kernel *kernel)
{
	kernel->skel->data->name_epoch++;
}

int kernel_fd(const struct kernel *kernel)
{
	return ring_buffer__epoll_fd(kernel->ring);
}

void kernel_woken(struct kernel *kernel)
{
	__atomic_store_n(&kernel->skel->bss->wake_sent, 0, __ATOMIC_RELEASE);
}
