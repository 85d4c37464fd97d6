// SPDX-License-Identifier: GPL-2.0-only
/* Completion scripts. What an option's argument may be is in its table's `words`. */
#include <string.h>

#include "cli/cmd.h"
#include "cli/dump.h"

static void add_command_names(struct buffer *out)
{
	for (const struct command *const *command = commands; *command; command++)
		buffer_format(out, "%s%s", command == commands ? "" : " ", (*command)->name);
}

/* --- bash ------------------------------------------------------------------------------------- */

static void bash_words(struct buffer *out, const struct command *command)
{
	const char *between = "";

	for (const struct option_group *group = command->groups; group->rows; group++) {
		for (size_t i = 0; i < group->nr; i++) {
			buffer_format(out, "%s--%s", between, group->rows[i].name);
			between = " ";
		}
	}
}

/* What completes the argument of an option. */
static void bash_argument(struct buffer *out, const char *words)
{
	if (!words)
		buffer_add_text(out, "return");
	else if (!strcmp(words, "<user>"))
		buffer_add_text(out, "COMPREPLY=($(compgen -u -- \"$cur\")); return");
	else if (!strcmp(words, "<pid>"))
		buffer_add_text(out, "_taskatlas_pids; return");
	else
		buffer_format(out, "_taskatlas_list \"%s\"; return", words);
}

static void bash_option(struct buffer *out, const struct command *command,
			const struct option_row *row)
{
	if (!row->argument)
		return;
	buffer_format(out, "\t%s,--%s", command->name, row->name);
	if (row->letter)
		buffer_format(out, " | %s,-%c", command->name, row->letter);
	buffer_add_text(out, ") ");
	bash_argument(out, row->words);
	buffer_add_text(out, " ;;\n");
}

static void bash_command(struct buffer *out, const struct command *command)
{
	buffer_format(out, "\t%s) options=\"", command->name);
	bash_words(out, command);
	buffer_add_text(out, "\" ;;\n");
}

void dump_bash(struct buffer *out)
{
	buffer_add_text(out,
			"# bash completion for taskatlas, made from its option tables\n"
			"_taskatlas_pids() {\n"
			"\tlocal path\n"
			"\tfor path in /proc/[0-9]*; do\n"
			"\t\tpath=${path#/proc/}\n"
			"\t\tif [[ $path == \"$cur\"* ]]; then COMPREPLY+=(\"$path\"); fi\n"
			"\tdone\n"
			"}\n"
			"_taskatlas_list() {\n"
			"\tlocal before=\n"
			"\t[[ $cur == *,* ]] && before=${cur%,*},\n"
			"\tCOMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
			"}\n"
			"_taskatlas() {\n"
			"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
			"\tlocal command=${COMP_WORDS[1]} options=\n"
			"\tCOMPREPLY=()\n"
			"\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
			"\t\tCOMPREPLY=($(compgen -W \"");
	add_command_names(out);
	buffer_add_text(out, " --help --version\" -- \"$cur\"))\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tcase $command,$prev in\n");
	for (const struct command *const *command = commands; *command; command++) {
		for (const struct option_group *group = (*command)->groups; group->rows; group++) {
			for (size_t i = 0; i < group->nr; i++)
				bash_option(out, *command, &group->rows[i]);
		}
	}
	buffer_add_text(out, "\tesac\n\tcase $command in\n");
	for (const struct command *const *command = commands; *command; command++)
		bash_command(out, *command);
	buffer_add_text(out, "\tesac\n"
			     "\tif [[ $cur == -* ]]; then\n"
			     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
			     "\telif [[ $command == tree || $command == maps ]]; then\n"
			     "\t\t_taskatlas_pids\n"
			     "\tfi\n"
			     "}\n"
			     "complete -o default -F _taskatlas taskatlas\n");
}

/* --- zsh -------------------------------------------------------------------------------------- */

/* Text inside of '...' and [...]. */
static void zsh_text(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buffer_add_text(out, "'\\''");
		else if (strchr("[]:\\", *text))
			buffer_format(out, "\\%c", *text);
		else
			buffer_add(out, text, 1);
	}
}

static void zsh_argument(struct buffer *out, const struct option_row *row)
{
	buffer_format(out, ":%s:", row->argument);
	if (!row->words)
		return;
	if (!strcmp(row->words, "<user>"))
		buffer_add_text(out, "_users");
	else if (!strcmp(row->words, "<pid>"))
		buffer_add_text(out, "_pids");
	else
		buffer_format(out, "_values -s , %s %s", row->name, row->words);
}

static void zsh_option(struct buffer *out, const struct option_row *row)
{
	const char *repeat = row->type == OPTION_TEXTS ? "*" : "";

	buffer_add_text(out, " \\\n\t\t\t");
	if (row->letter && *repeat)
		buffer_format(out, "'*'{-%c,--%s}'[", row->letter, row->name);
	else if (row->letter)
		buffer_format(out, "'(-%c --%s)'{-%c,--%s}'[", row->letter, row->name, row->letter,
			      row->name);
	else
		buffer_format(out, "'%s--%s[", repeat, row->name);
	zsh_text(out, row->help);
	buffer_add_text(out, "]");
	if (row->argument)
		zsh_argument(out, row);
	buffer_add_text(out, "'");
}

static void zsh_command(struct buffer *out, const struct command *command)
{
	buffer_format(out, "\t\t%s) _arguments -s", command->name);
	for (const struct option_group *group = command->groups; group->rows; group++) {
		for (size_t i = 0; i < group->nr; i++)
			zsh_option(out, &group->rows[i]);
	}
	if (strstr(command->operands, "PID"))
		buffer_add_text(out, " \\\n\t\t\t'*:process:_pids'");
	else if (strstr(command->operands, "COMMAND"))
		buffer_add_text(out, " \\\n\t\t\t'*::command:_normal'");
	buffer_add_text(out, " ;;\n");
}

void dump_zsh(struct buffer *out)
{
	buffer_add_text(out, "#compdef taskatlas\n"
			     "# zsh completion for taskatlas, made from its option tables\n"
			     "_taskatlas() {\n"
			     "\tlocal -a commands=(\n");
	for (const struct command *const *command = commands; *command; command++) {
		buffer_format(out, "\t\t'%s:", (*command)->name);
		zsh_text(out, (*command)->summary);
		buffer_add_text(out, "'\n");
	}
	buffer_add_text(out, "\t)\n"
			     "\tif (( CURRENT == 2 )); then\n"
			     "\t\t_describe command commands\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tshift words\n"
			     "\t(( CURRENT-- ))\n"
			     "\tcase $words[1] in\n");
	for (const struct command *const *command = commands; *command; command++)
		zsh_command(out, *command);
	buffer_add_text(out, "\tesac\n}\n_taskatlas \"$@\"\n");
}
