// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "format/clock.h"
#include "format/coverage.h"
#include "format/summary.h"
#include "format/table.h"

#define NS_PER_S 1000000000.0

/* Labels of the rates, in the order of SUMMARY_RATES(). */
static const char *const rate_labels[] = {
    [SUMMARY_forks] = "forks",
    [SUMMARY_thread_starts] = "thread starts",
    [SUMMARY_execs] = "execs",
    [SUMMARY_exits] = "process exits",
    [SUMMARY_thread_exits] = "thread exits",
    [SUMMARY_mappings_added] = "mappings added",
    [SUMMARY_mappings_removed] = "mappings removed",
    [SUMMARY_mappings_changed] = "mappings changed",
};
_Static_assert(sizeof(rate_labels) / sizeof(rate_labels[0]) == SUMMARY_RATE_NR, "a label each");

static void grouped(struct table *table, uint64_t number)
{
	number_group(table_cell(table, COLOR_NONE), number);
}

static void print_head(struct buffer *out, const struct style *style,
		       const struct coverage *coverage)
{
	const struct host *host = coverage->host;

	style_begin(out, style, COLOR_BOLD);
	style_name(out, style, host->hostname, strlen(host->hostname));
	style_end(out, style, COLOR_BOLD);
	buffer_add_text(out, "  Linux ");
	style_name(out, style, host->kernel, strlen(host->kernel));
	buffer_add_text(out, "  ");
	clock_day(out, host, coverage->from_ns, 0);
	buffer_add_text(out, " to ");
	clock_day(out, host, coverage->to_ns, 0);
	buffer_add_text(out, "\n");
}

static int print_now(struct buffer *out, const struct style *style, const struct summary *summary)
{
	static const struct table_column columns[] = {{"now", false, 0}, {"", true, 0}};
	const struct {
		const char *label;
		uint64_t count;
	} rows[] = {
	    {"tasks", summary->tasks},       {"processes", summary->processes},
	    {"zombies", summary->zombies},   {"address spaces", summary->spaces},
	    {"mappings", summary->mappings}, {"mapped files", summary->mapped_files},
	};
	struct table table;
	int error;

	table_init(&table, columns, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_text(&table, COLOR_NONE, rows[i].label);
		grouped(&table, rows[i].count);
	}
	error = table_print(&table, style, out);
	table_done(&table);
	return error;
}

static int print_rates(struct buffer *out, const struct style *style, const struct summary *summary)
{
	struct table_column columns[] = {
	    {NULL, false, 0}, {"total", true, 0}, {"per second", true, 0}};
	double seconds = (double)summary->span_ns / NS_PER_S;
	struct buffer title = BUFFER_EMPTY;
	struct table table;
	int error;

	buffer_add_text(&title, "during ");
	duration_add(&title, summary->span_ns);
	columns[0].title = buffer_text(&title);
	table_init(&table, columns, 3);
	for (size_t i = 0; i < SUMMARY_RATE_NR; i++) {
		table_text(&table, COLOR_NONE, rate_labels[i]);
		grouped(&table, summary->rates[i]);
		buffer_format(table_cell(&table, COLOR_NONE), "%.1f",
			      (double)summary->rates[i] / seconds);
	}
	buffer_add_text(out, "\n");
	error = table_print(&table, style, out);
	table_done(&table);
	buffer_done(&title);
	return error;
}

static int print_busiest(struct buffer *out, const struct style *style,
			 const struct summary *summary)
{
	static const struct table_column columns[] = {
	    {"mapping changes", true, 0},
	    {"forks", true, 1},
	    {"execs", true, 1},
	    {"pid", true, 0},
	    {"busiest processes", false, 0},
	};
	struct table table;
	int error;

	table_init(&table, columns, 5);
	for (size_t i = 0; i < summary->nr_busiest; i++) {
		const struct process *process = summary->busiest[i];
		struct buffer *cell;

		grouped(&table, process->nr_map_changes);
		grouped(&table, process->nr_forks);
		grouped(&table, process->nr_execs);
		table_number(&table, process->tgid);
		cell = table_cell(&table, COLOR_NONE);
		style_comm(cell, style, process->comm);
		if (process->state != PROCESS_RUNNING)
			buffer_add_text(cell, " (ended)");
	}
	buffer_add_text(out, "\n");
	error = table_print(&table, style, out);
	table_done(&table);
	if (summary->retained_dropped)
		buffer_format(out, "(without %" PRIu64 " ended processes, no longer kept)\n",
			      summary->retained_dropped);
	return error;
}

/* "... and N more" where a list was cut. */
static void print_more(struct buffer *out, size_t shown, size_t all)
{
	if (all > shown)
		buffer_format(out, "... and %zu more\n", all - shown);
}

static int print_cgroups(struct buffer *out, const struct style *style,
			 const struct summary *summary)
{
	static const struct table_column columns[] = {
	    {"mapping changes", true, 0},
	    {"forks", true, 1},
	    {"execs", true, 1},
	    {"busiest cgroups", false, 0},
	};
	struct table table;
	int error;

	table_init(&table, columns, 4);
	for (size_t i = 0; i < summary->nr_cgroups; i++) {
		const struct activity_cgroup *entry = &summary->cgroups[i];
		struct buffer *cell;

		grouped(&table, entry->changes);
		grouped(&table, entry->forks);
		grouped(&table, entry->execs);
		cell = table_cell(&table, COLOR_NONE);
		if (entry->cgroup && entry->cgroup->known)
			style_name(cell, style, entry->cgroup->path, strlen(entry->cgroup->path));
		else
			buffer_add_text(cell, "(not known)");
	}
	buffer_add_text(out, "\n");
	error = table_print(&table, style, out);
	table_done(&table);
	print_more(out, summary->nr_cgroups, summary->all_cgroups);
	return error;
}

static int print_exes(struct buffer *out, const struct style *style, const struct summary *summary)
{
	static const struct table_column columns[] = {
	    {"execs", true, 0},
	    {"still running", true, 1},
	    {"executables", false, 0},
	};
	struct table table;
	int error;

	table_init(&table, columns, 3);
	for (size_t i = 0; i < summary->nr_exes; i++) {
		grouped(&table, summary->exes[i].execs);
		grouped(&table, summary->exes[i].running);
		style_name(table_cell(&table, COLOR_NONE), style, summary->exes[i].name,
			   summary->exes[i].name_len);
	}
	buffer_add_text(out, "\n");
	error = table_print(&table, style, out);
	table_done(&table);
	print_more(out, summary->nr_exes, summary->all_exes);
	if (summary->execs_unnamed)
		buffer_format(out, "(without %" PRIu64 " execs of executables not known)\n",
			      summary->execs_unnamed);
	return error;
}

static void print_verdict(struct buffer *out, const struct style *style,
			  const struct summary_verdict *verdict)
{
	bool good = !verdict->differences && !verdict->unsettled;
	enum color color = good ? COLOR_GREEN : COLOR_RED;

	style_begin(out, style, color);
	buffer_add_text(out, "verified: ");
	number_group(out, verdict->processes);
	buffer_add_text(out, " processes, ");
	number_group(out, verdict->mappings);
	buffer_add_text(out, " mappings, ");
	number_group(out, verdict->differences);
	buffer_add_text(out, " differences");
	style_end(out, style, color);
	if (verdict->unsettled)
		buffer_format(out, "; %" PRIu64 " processes never held still", verdict->unsettled);
	if (verdict->not_comparable)
		buffer_format(out, "; %" PRIu64 " not comparable", verdict->not_comparable);
	buffer_add_text(out, "\n");
}

static void print_lost(struct buffer *out, const struct style *style,
		       const struct coverage *coverage)
{
	buffer_add_text(out, "\nrecords lost: ");
	number_group(out, coverage->lost);
	if (coverage->lost) {
		buffer_add_text(out, " (");
		coverage_lost_text(out, coverage);
		buffer_add_text(out, ")");
	}
	buffer_add_text(out, "\ncomplete: ");
	style_begin(out, style, coverage->complete ? COLOR_GREEN : COLOR_RED);
	buffer_add_text(out, coverage->complete ? "yes" : "NO");
	style_end(out, style, COLOR_RED);
	buffer_add_text(out, "\n");
}

int summary_text(struct buffer *out, const struct style *style, const struct summary *summary,
		 const struct summary_format *format)
{
	int error;

	print_head(out, style, format->coverage);
	buffer_add_text(out, "\n");
	error = print_now(out, style, summary);
	if (!error && summary->span_ns)
		error = print_rates(out, style, summary);
	if (!error && summary->nr_busiest)
		error = print_busiest(out, style, summary);
	if (!error && summary->nr_cgroups)
		error = print_cgroups(out, style, summary);
	if (!error && summary->nr_exes)
		error = print_exes(out, style, summary);
	if (error)
		return error;
	print_lost(out, style, format->coverage);
	if (format->verdict)
		print_verdict(out, style, format->verdict);
	return buffer_error(out);
}
