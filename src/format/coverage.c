// SPDX-License-Identifier: GPL-2.0-only
#include "format/coverage.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "format/clock.h"
#include "view/names.h"

void coverage_lost_text(struct buffer *out, const struct coverage *coverage)
{
	const char *between = "";

	for (unsigned int kind = 0; kind < REC_NR; kind++) {
		if (!coverage->lost_by_kind[kind])
			continue;
		buffer_format(out, "%s%s %" PRIu64, between,
			      kind ? record_kind_name(kind) : "unknown kind",
			      coverage->lost_by_kind[kind]);
		between = ", ";
	}
}

static void causes_text(struct buffer *out, const struct coverage *coverage)
{
	const char *between = "; ";

	for (unsigned int cause = 0; cause < REC_LOSS_CAUSE_NR; cause++) {
		if (!coverage->lost_by_cause[cause])
			continue;
		buffer_format(out, "%s%s", between, loss_cause_name(cause));
		between = ", ";
	}
}

static void lost_text(struct buffer *out, const struct coverage *coverage)
{
	number_group(out, coverage->lost);
	buffer_add_text(out, coverage->lost == 1 ? " record was lost (" : " records were lost (");
	coverage_lost_text(out, coverage);
	causes_text(out, coverage);
	buffer_add_text(out, coverage->suspect ? ")" : "), all of it healed");
}

static void suspect_text(struct buffer *out, const struct coverage *coverage)
{
	buffer_add_text(out, "NOT complete: not healed");
	if (coverage->suspect_since_ns) {
		buffer_add_text(out, " since ");
		clock_day(out, coverage->host, coverage->suspect_since_ns, 0);
	}
	if (coverage->suspect_spaces)
		buffer_format(out, ", %" PRIu32 " address spaces suspect",
			      coverage->suspect_spaces);
}

void coverage_text(struct buffer *out, const struct style *style, const struct coverage *coverage)
{
	const struct host *host = coverage->host;
	size_t start;

	if (coverage->complete && !coverage->lost && !host->partial_view)
		return;
	style_name(out, style, host->hostname, strlen(host->hostname));
	buffer_add_text(out, ", ");
	if (coverage->from_ns) {
		clock_day(out, host, coverage->from_ns, 0);
		buffer_add_text(out, " to ");
	}
	clock_day(out, host, coverage->to_ns, 0);
	buffer_add_text(out, ": ");
	start = out->len;
	if (host->partial_view)
		buffer_add_text(out, "PARTIAL VIEW: not the initial pid namespace, only some of "
				     "the host's tasks are seen");
	if (coverage->lost) {
		buffer_add_text(out, out->len > start ? "; " : "");
		lost_text(out, coverage);
	}
	if (coverage->suspect) {
		buffer_add_text(out, out->len > start ? "; " : "");
		suspect_text(out, coverage);
	}
	if (!coverage->seeded) {
		buffer_add_text(out, out->len > start ? "; " : "");
		buffer_add_text(out, "NOT complete: the walk over all tasks had not ended");
	}
}

void host_json(struct json *json, struct json_object *at, const struct host *host)
{
	struct json_object *object = json_add_object(json, at, "host");

	json_add_name(json, object, "name", host->hostname, strlen(host->hostname));
	json_add_name(json, object, "kernel", host->kernel, strlen(host->kernel));
	json_add_text(json, object, "boot_id", host->boot_id);
	json_add_flag(json, object, "partial_view", host->partial_view);
}

void coverage_json(struct json *json, struct json_object *at, const struct coverage *coverage)
{
	struct json_object *object = json_add_object(json, at, "coverage"), *lost;

	host_json(json, object, coverage->host);
	json_add_time(json, object, "from", coverage->host, coverage->from_ns);
	json_add_time(json, object, "to", coverage->host, coverage->to_ns);
	json_add_number(json, object, "from_ns", coverage->from_ns);
	json_add_number(json, object, "to_ns", coverage->to_ns);
	json_add_flag(json, object, "complete", coverage->complete);
	json_add_flag(json, object, "seeded", coverage->seeded);
	json_add_flag(json, object, "suspect", coverage->suspect);
	json_add_time(json, object, "suspect_since", coverage->host, coverage->suspect_since_ns);
	json_add_number(json, object, "suspect_spaces", coverage->suspect_spaces);
	json_add_number(json, object, "lost", coverage->lost);
	lost = json_add_object(json, object, "lost_by_kind");
	for (unsigned int kind = 0; kind < REC_NR; kind++) {
		if (coverage->lost_by_kind[kind])
			json_add_number(json, lost, record_kind_name(kind),
					coverage->lost_by_kind[kind]);
	}
	lost = json_add_object(json, object, "lost_by_cause");
	for (unsigned int cause = 0; cause < REC_LOSS_CAUSE_NR; cause++) {
		if (coverage->lost_by_cause[cause])
			json_add_number(json, lost, loss_cause_name(cause),
					coverage->lost_by_cause[cause]);
	}
	json_add_number(json, object, "births_missed", coverage->births_missed);
	json_add_number(json, object, "exits_missed", coverage->exits_missed);
	json_add_number(json, object, "drift", coverage->drift);
}

void json_begin(struct json *json, const char *type, const struct coverage *coverage)
{
	json_add_text(json, json->root, "type", type);
	json_add_number(json, json->root, "schema", JSON_SCHEMA);
	json_add_text(json, json->root, "version", TASKATLAS_VERSION);
	if (coverage)
		coverage_json(json, json->root, coverage);
}
