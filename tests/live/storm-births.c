// SPDX-License-Identifier: GPL-2.0-only
/*
 * New processes and threads, in every way that Linux has. A worker goes through the kinds in turn,
 * so that the counts follow from the options alone. It waits for each before it goes on; its
 * siblings go on mapping meanwhile.
 */
#include "tests/live/storm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)
#define CHANGES_A_CHILD 8
#define CHILD_THREADS 2

static char *const no_environment[] = {NULL};

static void add(_Atomic uint64_t *count, uint64_t n)
{
	atomic_fetch_add(count, n);
}

/* Take up to n of the worker's changes, for a child to make. */
static uint64_t take_changes(struct storm_worker *worker, uint64_t n)
{
	if (n > worker->changes)
		n = worker->changes;
	worker->changes -= n;
	return n;
}

static bool wait_for(struct storm *storm, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			storm_fail(storm, "waitpid");
			return false;
		}
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		errno = ECHILD;
		storm_fail(storm, "a child did not end well");
		return false;
	}
	return true;
}

/* fork(), counted. The child's lock on the break may be one that nobody is there to release. */
static pid_t fork_counted(struct storm_worker *worker)
{
	pid_t pid = fork();

	if (pid == 0)
		atomic_flag_clear(&worker->storm->brk_busy);
	else if (pid > 0)
		add(&worker->storm->counts->forks, 1);
	else
		storm_fail(worker->storm, "fork");
	return pid;
}

static _Noreturn void exec_noop(const struct storm *storm)
{
	char *const argv[] = {(char *)"storm", (char *)"--noop", NULL};

	execve(storm->self, argv, no_environment);
	_exit(127);
}

static void exec_done(struct storm *storm, bool ended_well)
{
	if (ended_well)
		add(&storm->counts->execs, 1);
}

/* --- children that do not exec --- */

static void child_changes(struct storm_worker *worker)
{
	uint64_t changes = take_changes(worker, CHANGES_A_CHILD);
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		storm_change(worker, changes);
		_exit(0);
	}
	if (pid > 0)
		wait_for(worker->storm, pid);
}

static void child_failed_exec(struct storm_worker *worker)
{
	char *const argv[] = {(char *)"storm", NULL};
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		execve("/nonexistent/storm", argv, no_environment);
		_exit(0);
	}
	if (pid > 0 && wait_for(worker->storm, pid))
		add(&worker->storm->counts->failed_execs, 1);
}

/* The child's changes are the parent's: they run in one space. */
static void child_vfork(struct storm_worker *worker)
{
	uint64_t changes = take_changes(worker, 1);
	pid_t pid = vfork();

	if (pid == 0) {
		storm_change(worker, changes);
		_exit(0);
	}
	if (pid < 0) {
		storm_fail(worker->storm, "vfork");
		return;
	}
	add(&worker->storm->counts->forks, 1);
	add(&worker->storm->counts->vforks, 1);
	wait_for(worker->storm, pid);
}

struct clone_start {
	struct storm_worker *worker;
	uint64_t changes;
	bool exec, rest;
};

static int clone_main(void *arg)
{
	struct clone_start *start = arg;

	storm_change(start->worker, start->changes);
	if (start->exec)
		exec_noop(start->worker->storm);
	if (start->rest)
		storm_rest(start->worker->storm);
	/* exit_group() ends this process alone, which is a thread group of its own. */
	_exit(0);
}

/* A process in its parent's space, on a stack of its own. */
static pid_t clone_counted(struct clone_start *start, char *stack, int flags)
{
	struct storm *storm = start->worker->storm;
	pid_t pid = clone(clone_main, stack + STACK_BYTES, CLONE_VM | SIGCHLD | flags, start);

	if (pid < 0) {
		storm_fail(storm, "clone");
		return pid;
	}
	add(&storm->counts->forks, 1);
	add(flags & CLONE_VFORK ? &storm->counts->vforks : &storm->counts->shared, 1);
	return pid;
}

static void child_shared(struct storm_worker *worker)
{
	_Alignas(16) char stack[STACK_BYTES];
	struct clone_start start = {.worker = worker, .changes = take_changes(worker, 4)};
	pid_t pid = clone_counted(&start, stack, 0);

	if (pid > 0)
		wait_for(worker->storm, pid);
}

struct thread_start {
	struct storm_worker worker;
	uint64_t changes;
	bool exec, wait;
};

static void *child_thread(void *arg)
{
	struct thread_start *start = arg;

	storm_change(&start->worker, start->changes);
	if (start->exec)
		exec_noop(start->worker.storm);
	while (start->wait)
		pause();
	return NULL;
}

/*
 * In a child: as many threads, each with a copy of the worker, but none with its loose mappings:
 * an address unmapped twice may be somebody else's by then. Ends the process if it cannot.
 */
static void start_threads(struct thread_start *starts, unsigned int nr)
{
	pthread_t thread;

	for (unsigned int i = 0; i < nr; i++) {
		starts[i].worker.random ^= i + 1;
		memset(starts[i].worker.loose, 0, sizeof(starts[i].worker.loose));
		if (pthread_create(&thread, NULL, child_thread, &starts[i]))
			_exit(126);
	}
}

/* The first thread ends before the others. */
static void child_threads(struct storm_worker *worker)
{
	struct thread_start starts[CHILD_THREADS];
	struct storm *storm = worker->storm;
	pid_t pid;

	for (int i = 0; i < CHILD_THREADS; i++)
		starts[i] =
		    (struct thread_start){.worker = *worker, .changes = take_changes(worker, 4)};
	pid = fork_counted(worker);
	if (pid == 0) {
		start_threads(starts, CHILD_THREADS);
		syscall(SYS_exit, 0);
	}
	if (pid > 0 && wait_for(storm, pid)) {
		add(&storm->counts->threads, CHILD_THREADS);
		add(&storm->counts->leaders, 1);
	}
}

/* Two new processes. The second loses its parent, and is waited for by main(), as its subreaper. */
static void child_orphan(struct storm_worker *worker)
{
	uint64_t changes = take_changes(worker, 2);
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		pid_t orphan = fork_counted(worker);

		if (orphan == 0)
			storm_change(worker, changes);
		_exit(orphan < 0);
	}
	if (pid > 0 && wait_for(worker->storm, pid))
		add(&worker->storm->counts->orphans, 1);
}

/* --- children that exec --- */

static void exec_fork(struct storm_worker *worker)
{
	uint64_t changes = take_changes(worker, 2);
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		storm_change(worker, changes);
		exec_noop(worker->storm);
	}
	if (pid > 0)
		exec_done(worker->storm, wait_for(worker->storm, pid));
}

static void exec_vfork(struct storm_worker *worker)
{
	pid_t pid = vfork();

	if (pid == 0)
		exec_noop(worker->storm);
	if (pid < 0) {
		storm_fail(worker->storm, "vfork");
		return;
	}
	add(&worker->storm->counts->forks, 1);
	add(&worker->storm->counts->vforks, 1);
	exec_done(worker->storm, wait_for(worker->storm, pid));
}

/* As posix_spawn() does it. */
static void exec_spawn(struct storm_worker *worker)
{
	_Alignas(16) char stack[STACK_BYTES];
	struct clone_start start = {.worker = worker, .exec = true};
	pid_t pid = clone_counted(&start, stack, CLONE_VFORK);

	if (pid > 0)
		exec_done(worker->storm, wait_for(worker->storm, pid));
}

static void exec_script(struct storm_worker *worker)
{
	const struct storm *storm = worker->storm;
	char *const argv[] = {(char *)storm->script, NULL};
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		execve(storm->script, argv, no_environment);
		_exit(127);
	}
	if (pid > 0)
		exec_done(worker->storm, wait_for(worker->storm, pid));
}

/* Another thread than the first one execs, while a third one just waits. */
static void exec_thread(struct storm_worker *worker)
{
	struct thread_start starts[CHILD_THREADS] = {
	    {.worker = *worker, .wait = true},
	    {.worker = *worker, .exec = true},
	};
	struct storm *storm = worker->storm;
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		start_threads(starts, CHILD_THREADS);
		for (;;)
			pause();
	}
	if (pid > 0 && wait_for(storm, pid)) {
		add(&storm->counts->threads, CHILD_THREADS);
		add(&storm->counts->thread_execs, 1);
		exec_done(storm, true);
	}
}

/* --- what is next --- */

typedef void (*child_fn)(struct storm_worker *worker);

static const child_fn plain_kinds[] = {
    child_changes, child_vfork,   child_orphan,      child_shared,
    child_threads, child_changes, child_failed_exec,
};
static const child_fn exec_kinds[] = {
    exec_fork, exec_vfork, exec_script, exec_thread, exec_spawn,
};
#define NR_KINDS(kinds) (sizeof(kinds) / sizeof((kinds)[0]))

/* Is the worker's at-th new process one that execs? They are spread evenly. */
static bool is_exec(const struct storm_worker *worker, uint64_t at)
{
	return (at + 1) * worker->execs / worker->forks > at * worker->execs / worker->forks;
}

void storm_fork(struct storm_worker *worker)
{
	uint64_t at = worker->forks_done++;
	uint64_t execs_done = at * worker->execs / worker->forks;
	uint64_t first = worker->process + worker->thread;
	child_fn kind;

	if (is_exec(worker, at)) {
		exec_kinds[(first + execs_done) % NR_KINDS(exec_kinds)](worker);
		return;
	}
	kind = plain_kinds[(first + at - execs_done) % NR_KINDS(plain_kinds)];
	if (kind == child_orphan) {
		/* Two at once: the next one must be there, and not one that execs. */
		if (at + 1 < worker->forks && !is_exec(worker, at + 1))
			worker->forks_done++;
		else
			kind = child_changes;
	}
	kind(worker);
}

void storm_fork_more(struct storm_worker *worker)
{
	size_t kind = storm_random(worker, NR_KINDS(plain_kinds) + NR_KINDS(exec_kinds));

	if (kind < NR_KINDS(plain_kinds))
		plain_kinds[kind](worker);
	else
		exec_kinds[kind - NR_KINDS(plain_kinds)](worker);
}

static void *birth_main(void *arg)
{
	struct storm_worker *worker = arg;

	storm_change(worker, take_changes(worker, 2));
	return NULL;
}

void storm_birth(struct storm_worker *worker)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, birth_main, worker);

	worker->births_done++;
	if (error) {
		errno = error;
		storm_fail(worker->storm, "pthread_create");
		return;
	}
	add(&worker->storm->counts->threads, 1);
	pthread_join(thread, NULL);
}

/* --- survivors --- */

static _Noreturn void exec_rest(struct storm *storm)
{
	char *const argv[] = {(char *)"storm", (char *)"--rest", storm->ready_text,
			      storm->hold_text, NULL};

	fcntl(storm->ready_fd, F_SETFD, 0);
	fcntl(storm->hold_fd, F_SETFD, 0);
	execve(storm->self, argv, no_environment);
	_exit(127);
}

/* A copy that went its own way, a new image, and a process in the same space. Nobody waits for them
 * here: they end after this process, and main() is their subreaper. */
void storm_survivors(struct storm_worker *worker)
{
	struct storm *storm = worker->storm;
	struct clone_start *start;
	char *stack;
	pid_t pid = fork_counted(worker);

	if (pid == 0) {
		storm_change(worker, STORM_SURVIVOR_CHANGES);
		storm_rest(storm);
		_exit(0);
	}
	pid = fork_counted(worker);
	if (pid == 0)
		exec_rest(storm);
	exec_done(storm, pid > 0);
	stack = mmap(NULL, STACK_BYTES + sizeof(*start), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED) {
		storm_fail(storm, "no stack");
		return;
	}
	start = (struct clone_start *)(stack + STACK_BYTES);
	*start = (struct clone_start){.worker = worker, .rest = true};
	clone_counted(start, stack, 0);
}
