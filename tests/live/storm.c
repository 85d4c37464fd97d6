// SPDX-License-Identifier: GPL-2.0-only
/*
 * The storm's options, its processes and their threads, and its end. See storm.h.
 *
 * The first process makes the others, is the subreaper of all orphans, and waits. Everybody else
 * holds the writing end of `ready` and the reading end of `hold`; when the first process is gone,
 * however it went, `hold` ends, and with it whoever rests.
 */
#include "tests/live/storm.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX 256
#define THREADS_MAX 64

void storm_fail(struct storm *storm, const char *what)
{
	char line[160];
	int len = snprintf(line, sizeof(line), "storm: %s: errno %d\n", what, errno);

	atomic_store(&storm->counts->failed, true);
	if (write(STDERR_FILENO, line, (size_t)len) < 0)
		return;
}

static bool rest(int ready_fd, int hold_fd)
{
	char byte = '.';
	ssize_t got;

	if (write(ready_fd, &byte, 1) != 1)
		return false;
	do {
		got = read(hold_fd, &byte, 1);
	} while (got < 0 && errno == EINTR);
	return got == 0;
}

void storm_rest(struct storm *storm)
{
	if (storm->options.hold && !rest(storm->ready_fd, storm->hold_fd))
		storm_fail(storm, "cannot rest");
}

/* --- a thread and a process --- */

static uint64_t share(uint64_t total, unsigned int at, unsigned int nr)
{
	return total / nr + (at < total % nr);
}

static void worker_init(struct storm_worker *worker, struct storm *storm, unsigned int process,
			unsigned int thread)
{
	const struct storm_options *options = &storm->options;
	unsigned int nr = options->processes * options->threads;
	unsigned int at = process * options->threads + thread;

	*worker = (struct storm_worker){
	    .storm = storm,
	    .process = process,
	    .thread = thread,
	    .random = options->seed * 0x9e3779b97f4a7c15ull + at,
	    .changes = share(options->changes, at, nr),
	    .forks = (unsigned int)share(options->forks, at, nr),
	    .execs = (unsigned int)share(options->execs, at, nr),
	    .births = (unsigned int)share(options->births, at, nr),
	};
}

/* Not one of the worker's share: what goes on until it is told to come to the end. */
static void work_until_told(struct storm_worker *worker)
{
	while (!atomic_load(&worker->storm->counts->told)) {
		storm_change(worker, 64);
		storm_fork_more(worker);
	}
}

static void work(struct storm_worker *worker)
{
	uint64_t events = (uint64_t)worker->forks + worker->births;
	uint64_t step = worker->changes / (events + 1) + 1;
	uint64_t half = worker->changes / 2;

	while (worker->changes > 0 || worker->forks_done < worker->forks ||
	       worker->births_done < worker->births) {
		uint64_t changes = worker->changes < step ? worker->changes : step;

		worker->changes -= changes;
		storm_change(worker, changes);
		/* Whichever lags behind its share. */
		if ((uint64_t)worker->forks_done * worker->births <=
			(uint64_t)worker->births_done * worker->forks &&
		    worker->forks_done < worker->forks)
			storm_fork(worker);
		else if (worker->births_done < worker->births)
			storm_birth(worker);
		if (worker->storm->options.announce && worker->changes <= half)
			work_until_told(worker);
	}
}

static void *worker_main(void *arg)
{
	struct storm_worker *worker = arg;
	char name[16];

	snprintf(name, sizeof(name), "storm %u.%u", worker->process, worker->thread);
	prctl(PR_SET_NAME, name);
	work(worker);
	if (worker->thread == 0 && worker->storm->options.hold)
		storm_survivors(worker);
	storm_rest(worker->storm);
	return NULL;
}

/* Every fourth process loses its first thread at once. */
static _Noreturn void process_main(struct storm *storm, unsigned int process)
{
	static struct storm_worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	unsigned int nr = storm->options.threads;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < nr; i++) {
		int error;

		worker_init(&workers[i], storm, process, i);
		error = pthread_create(&threads[i], NULL, worker_main, &workers[i]);
		if (error) {
			errno = error;
			storm_fail(storm, "pthread_create");
			_exit(1);
		}
		atomic_fetch_add(&storm->counts->threads, 1);
	}
	if (process % 4 == 1) {
		atomic_fetch_add(&storm->counts->leaders, 1);
		syscall(SYS_exit, 0);
	}
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* --- the first process --- */

struct run {
	struct storm storm;
	char dir[64];
	char script[96];
	int ready_pipe[2], hold_pipe[2];
	int pidfds[PROCESSES_MAX];
};

static int write_script(struct run *run)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	int fd, error = 0;

	snprintf(run->script, sizeof(run->script), "%s/script", run->dir);
	fd = open(run->script, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0)
		return -errno;
	if (write(fd, text, sizeof(text) - 1) != sizeof(text) - 1)
		error = -EIO;
	close(fd);
	run->storm.script = run->script;
	return error;
}

static int run_init(struct run *run)
{
	static char self[4096];
	struct storm *storm = &run->storm;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int error;

	if (len < 0)
		return -errno;
	storm->self = self;
	storm->counts = mmap(NULL, sizeof(*storm->counts), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (storm->counts == MAP_FAILED)
		return -errno;
	snprintf(run->dir, sizeof(run->dir), "/tmp/storm.XXXXXX");
	if (!mkdtemp(run->dir))
		return -errno;
	error = write_script(run);
	if (error)
		return error;
	if (pipe2(run->ready_pipe, O_CLOEXEC) || pipe2(run->hold_pipe, O_CLOEXEC) ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	storm->ready_fd = run->ready_pipe[1];
	storm->hold_fd = run->hold_pipe[0];
	snprintf(storm->ready_text, sizeof(storm->ready_text), "%d", storm->ready_fd);
	snprintf(storm->hold_text, sizeof(storm->hold_text), "%d", storm->hold_fd);
	return storm_maps_init(storm, run->dir);
}

static void run_done(struct run *run)
{
	storm_maps_done(&run->storm, run->dir);
	unlink(run->script);
	rmdir(run->dir);
}

static int start_processes(struct run *run)
{
	for (unsigned int i = 0; i < run->storm.options.processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (pid == 0) {
			close(run->ready_pipe[0]);
			close(run->hold_pipe[1]);
			process_main(&run->storm, i);
		}
		atomic_fetch_add(&run->storm.counts->forks, 1);
		run->pidfds[i] = (int)syscall(SYS_pidfd_open, pid, 0);
		if (run->pidfds[i] < 0)
			return -errno;
	}
	close(run->ready_pipe[1]);
	close(run->hold_pipe[0]);
	return 0;
}

/* A line, or its end. Returns false at its end. */
static bool read_input(void)
{
	char bytes[256];
	ssize_t got;

	do {
		got = read(STDIN_FILENO, bytes, sizeof(bytes));
	} while (got < 0 && errno == EINTR);
	return got > 0;
}

/* Until everybody rests. A process that ends before that is a failure. */
static int wait_for_rest(struct run *run, bool *input)
{
	const struct storm_options *options = &run->storm.options;
	size_t left = (size_t)options->processes * (options->threads + STORM_SURVIVORS);
	struct pollfd fds[PROCESSES_MAX + 2] = {
	    {.fd = run->ready_pipe[0], .events = POLLIN},
	    {.fd = options->announce ? STDIN_FILENO : -1, .events = POLLIN},
	};
	char bytes[256];

	for (unsigned int i = 0; i < options->processes; i++)
		fds[i + 2] = (struct pollfd){.fd = run->pidfds[i], .events = POLLIN};
	while (left > 0) {
		ssize_t got;

		if (poll(fds, options->processes + 2, -1) < 0 && errno != EINTR)
			return -errno;
		for (unsigned int i = 0; i < options->processes; i++) {
			if (fds[i + 2].revents)
				return -ECHILD;
		}
		if (fds[1].revents) {
			*input = read_input();
			fds[1].fd = -1;
			atomic_store(&run->storm.counts->told, true);
		}
		if (!fds[0].revents)
			continue;
		got = read(run->ready_pipe[0], bytes, left < sizeof(bytes) ? left : sizeof(bytes));
		if (got <= 0)
			return -EPIPE;
		left -= (size_t)got;
	}
	return 0;
}

/* Everybody: the processes, and the orphans. */
static void reap(struct storm *storm)
{
	int status;

	for (;;) {
		if (waitpid(-1, &status, 0) < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			errno = ECHILD;
			storm_fail(storm, "a process did not end well");
		}
	}
}

static void print_counts(const struct storm *storm)
{
	static const char *const names[] = {
#define X(CALL, name) [STORM_##CALL] = #name,
	    STORM_CALLS(X)
#undef X
	};
	struct storm_counts *counts = storm->counts;
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
	    {"changes", counts->changes},
	    {"failed_changes", counts->failed_changes},
	    {"forks", counts->forks},
	    {"vforks", counts->vforks},
	    {"shared", counts->shared},
	    {"orphans", counts->orphans},
	    {"threads", counts->threads},
	    {"leaders", counts->leaders},
	    {"execs", counts->execs},
	    {"thread_execs", counts->thread_execs},
	    {"failed_execs", counts->failed_execs},
	    /* Of tasks, without this process; with --hold: when it is over. */
	    {"exits", counts->forks + counts->threads},
	};

	printf("{\"seed\":%" PRIu64 ",\"processes\":%u", storm->options.seed,
	       storm->options.processes);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		printf(",\"%s\":%" PRIu64, fields[i].name, fields[i].value);
	for (int i = 1; i < STORM_CALL_NR; i++)
		printf("%s\"%s\":%" PRIu64, i == 1 ? ",\"calls\":{" : ",", names[i],
		       counts->calls[i]);
	printf("}}\n");
	fflush(stdout);
}

/* Hold everybody at rest until standard input ends. */
static int hold(struct run *run)
{
	bool input = true;
	int error = wait_for_rest(run, &input);

	if (error)
		return error;
	print_counts(&run->storm);
	while (input)
		input = read_input();
	return 0;
}

static int run_storm(const struct storm_options *options)
{
	static struct run run;
	int error;

	run.storm.options = *options;
	error = run_init(&run);
	if (!error)
		error = start_processes(&run);
	if (!error && options->hold)
		error = hold(&run);
	if (error)
		fprintf(stderr, "storm: %s\n", strerror(-error));
	/* Whoever works on past a failure comes to its end, and finds that nothing holds it. */
	atomic_store(&run.storm.counts->told, true);
	close(run.hold_pipe[1]);
	reap(&run.storm);
	if (!error && !options->hold)
		print_counts(&run.storm);
	run_done(&run);
	return error || run.storm.counts->failed;
}

/* --- options --- */

static const struct option long_options[] = {
    {"processes", required_argument, NULL, 'p'}, {"threads", required_argument, NULL, 't'},
    {"changes", required_argument, NULL, 'c'},   {"forks", required_argument, NULL, 'f'},
    {"execs", required_argument, NULL, 'e'},     {"births", required_argument, NULL, 'b'},
    {"seed", required_argument, NULL, 's'},      {"hold", no_argument, NULL, 'H'},
    {"announce", no_argument, NULL, 'a'},        {NULL, 0, NULL, 0},
};

static int usage(void)
{
	fprintf(stderr,
		"usage: storm [--processes N] [--threads N] [--changes N] [--forks N] [--execs N]\n"
		"             [--births N] [--seed N] [--hold [--announce]]\n");
	return 2;
}

static bool number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *ret <= max;
}

static bool parse(int argc, char **argv, struct storm_options *ret)
{
	uint64_t value = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == '?' || (optarg && !number(optarg, UINT32_MAX, &value)))
			return false;
		switch (c) {
		case 'p':
			ret->processes = (unsigned int)value;
			break;
		case 't':
			ret->threads = (unsigned int)value;
			break;
		case 'c':
			ret->changes = value;
			break;
		case 'f':
			ret->forks = (unsigned int)value;
			break;
		case 'e':
			ret->execs = (unsigned int)value;
			break;
		case 'b':
			ret->births = (unsigned int)value;
			break;
		case 's':
			ret->seed = value;
			break;
		case 'H':
			ret->hold = true;
			break;
		case 'a':
			ret->announce = true;
			break;
		}
	}
	return optind == argc && (ret->hold || !ret->announce) && ret->processes >= 1 &&
	       ret->processes <= PROCESSES_MAX && ret->threads >= 1 &&
	       ret->threads <= THREADS_MAX && ret->execs <= ret->forks;
}

int main(int argc, char **argv)
{
	struct storm_options options = {
	    .processes = 4,
	    .threads = 8,
	    .changes = 100000,
	    .forks = 500,
	    .execs = 100,
	    .births = 250,
	    .seed = 1,
	};
	uint64_t ready_fd, hold_fd;

	if (argc == 2 && !strcmp(argv[1], "--noop"))
		return 0;
	if (argc == 4 && !strcmp(argv[1], "--rest") && number(argv[2], INT32_MAX, &ready_fd) &&
	    number(argv[3], INT32_MAX, &hold_fd))
		return !rest((int)ready_fd, (int)hold_fd);
	if (!parse(argc, argv, &options))
		return usage();
	/* malloc() would move the break, which is for the storm to move. */
	mallopt(M_MMAP_THRESHOLD, 0);
	return run_storm(&options);
}
