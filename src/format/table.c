// SPDX-License-Identifier: GPL-2.0-only
#include "format/table.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

#define GAP 2 /* blanks between columns */

/* What fits: the width of each column, 0 for those that are left out. */
struct layout {
	size_t width[TABLE_COLUMNS_MAX];
	bool out[TABLE_COLUMNS_MAX];
};

void table_init(struct table *table, const struct table_column *columns, size_t nr_columns)
{
	assert(nr_columns && nr_columns <= TABLE_COLUMNS_MAX);
	*table = (struct table){.columns = columns, .nr_columns = nr_columns};
}

void table_done(struct table *table)
{
	if (!table)
		return;
	buffer_done(&table->text);
	free(table->cells);
	*table = (struct table){0};
}

/* The last cell ends where the text ends now. */
static void end_cell(struct table *table)
{
	struct table_cell *last;

	if (!table->nr_cells)
		return;
	last = &table->cells[table->nr_cells - 1];
	last->len = table->text.len - last->at;
}

struct buffer *table_cell(struct table *table, enum color color)
{
	end_cell(table);
	if (array_reserve(&table->cells, &table->capacity, table->nr_cells + 1,
			  sizeof(*table->cells))) {
		table->error = -ENOMEM;
		return &table->text;
	}
	table->cells[table->nr_cells++] = (struct table_cell){
	    .at = table->text.len,
	    .color = color,
	};
	return &table->text;
}

void table_text(struct table *table, enum color color, const char *text)
{
	buffer_add_text(table_cell(table, color), text);
}

void table_number(struct table *table, uint64_t number)
{
	buffer_format(table_cell(table, COLOR_NONE), "%" PRIu64, number);
}

static const char *cell_text(const struct table *table, size_t cell)
{
	return buffer_text(&table->text) + table->cells[cell].at;
}

static void measure(const struct table *table, struct layout *layout)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		layout->width[i] = strlen(table->columns[i].title);
	for (size_t i = 0; i < table->nr_cells; i++) {
		size_t *width = &layout->width[i % table->nr_columns];
		size_t columns = utf8_columns(cell_text(table, i), table->cells[i].len);

		*width = columns > *width ? columns : *width;
	}
}

/* Columns in front of the last one. */
static size_t front_width(const struct table *table, const struct layout *layout)
{
	size_t width = 0;

	for (size_t i = 0; i + 1 < table->nr_columns; i++)
		width += layout->out[i] ? 0 : layout->width[i] + GAP;
	return width;
}

static void drop_columns(const struct table *table, struct layout *layout, size_t limit)
{
	size_t last = layout->width[table->nr_columns - 1];

	if (!limit)
		return;
	if (last > TABLE_LAST_MIN)
		last = TABLE_LAST_MIN;
	for (unsigned int turn = 1; turn <= table->nr_columns; turn++) {
		if (front_width(table, layout) + last <= limit)
			return;
		for (size_t i = 0; i + 1 < table->nr_columns; i++) {
			if (table->columns[i].drop == turn)
				layout->out[i] = true;
		}
	}
}

/* One line under construction. */
struct line {
	struct buffer *out;
	const struct style *style;
	size_t used; /* columns */
};

/* Append text, cut where the line is full. */
static void add_cut(struct line *line, const char *text, size_t len, enum color color)
{
	size_t limit = line->style->columns;

	if (limit)
		len = utf8_fit(text, len, limit > line->used ? limit - line->used : 0);
	if (!len)
		return;
	style_begin(line->out, line->style, color);
	buffer_add(line->out, text, len);
	style_end(line->out, line->style, color);
	line->used += utf8_columns(text, len);
}

static void add_blanks(struct line *line, size_t nr)
{
	size_t limit = line->style->columns;

	if (limit && line->used + nr > limit)
		nr = limit > line->used ? limit - line->used : 0;
	buffer_fill(line->out, ' ', nr);
	line->used += nr;
}

static void add_field(struct line *line, const struct table *table, const struct layout *layout,
		      size_t column, const char *text, size_t len, enum color color)
{
	size_t columns = utf8_columns(text, len), pad;

	if (layout->out[column])
		return;
	pad = layout->width[column] > columns ? layout->width[column] - columns : 0;
	if (table->columns[column].right)
		add_blanks(line, pad);
	add_cut(line, text, len, color);
	if (column + 1 == table->nr_columns)
		return;
	add_blanks(line, GAP + (table->columns[column].right ? 0 : pad));
}

/* Blanks at the end of a line say nothing. */
static void end_line(struct line *line)
{
	size_t len = line->out->len;

	while (len && line->out->data[len - 1] == ' ')
		len--;
	buffer_cut(line->out, len);
	buffer_add_text(line->out, "\n");
}

int table_print(struct table *table, const struct style *style, struct buffer *out)
{
	struct line line = {.out = out, .style = style};
	struct layout layout = {0};

	end_cell(table);
	if (table->error || buffer_error(&table->text))
		return -ENOMEM;
	assert(table->nr_cells % table->nr_columns == 0);
	measure(table, &layout);
	drop_columns(table, &layout, style->columns);
	for (size_t i = 0; i < table->nr_columns; i++)
		add_field(&line, table, &layout, i, table->columns[i].title,
			  strlen(table->columns[i].title), COLOR_BOLD);
	end_line(&line);
	for (size_t i = 0; i < table->nr_cells; i++) {
		size_t column = i % table->nr_columns;

		if (!column)
			line.used = 0;
		add_field(&line, table, &layout, column, cell_text(table, i), table->cells[i].len,
			  table->cells[i].color);
		if (column + 1 == table->nr_columns)
			end_line(&line);
	}
	return buffer_error(out);
}
