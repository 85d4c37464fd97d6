/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows and columns of text, padded to fit. The last column takes what is left of the width and is
 * cut there; if that would leave it less than TABLE_LAST_MIN columns, other columns go, in the
 * order that `drop` says. Cells must hold printable text, escaped before.
 */
#ifndef TASKATLAS_FORMAT_TABLE_H
#define TASKATLAS_FORMAT_TABLE_H

#include <stdint.h>

#include "format/style.h"

#define TABLE_LAST_MIN 20
#define TABLE_COLUMNS_MAX 12

struct table_column {
	const char *title;
	bool right;        /* aligned to the right */
	unsigned int drop; /* which column goes when room is short: 1 first; 0 = never */
};

struct table_cell {
	size_t at, len; /* of its text in table.text, bytes */
	enum color color;
};

struct table {
	const struct table_column *columns;
	size_t nr_columns;
	struct buffer text;       /* of all cells; taking cells adds to it */
	struct table_cell *cells; /* owned; row after row */
	size_t nr_cells, capacity;
	int error;
};

/* `columns` must live as long as the table. */
void table_init(struct table *table, const struct table_column *columns, size_t nr_columns);
/* Takes NULL. */
void table_done(struct table *table);

/* Begin the next cell; its text is what is added to the returned buffer until the next one. */
struct buffer *table_cell(struct table *table, enum color color);
/* A cell with this text. */
void table_text(struct table *table, enum color color, const char *text);
/* A cell with this number, without groups. */
void table_number(struct table *table, uint64_t number);

/* Append a line of titles, then a line for each row. 0, -ENOMEM. */
int table_print(struct table *table, const struct style *style, struct buffer *out);

#endif
