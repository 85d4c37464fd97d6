# SPDX-License-Identifier: GPL-2.0-only
# install, uninstall. Included by the Makefile.

bindir   = $(prefix)/bin
mandir   = $(prefix)/share/man
docdir   = $(prefix)/share/doc/taskatlas
bashdir  = $(prefix)/share/bash-completion/completions
zshdir   = $(prefix)/share/zsh/site-functions
INSTALL ?= install

# The manual page's COMMANDS and the completions come from the program's own option tables.
MAN_PAGE    := $(O)/taskatlas.1
COMPLETIONS := $(O)/completion/taskatlas $(O)/completion/_taskatlas

$(MAN_PAGE): docs/taskatlas.1.scd $(O)/taskatlas
	$(call say,MAN,$@)
	$(Q)$(O)/taskatlas --dump-options man >$@.commands
	$(Q)sed -e '/^@COMMANDS@$$/{r $@.commands' -e 'd}' $< | scdoc >$@
$(O)/completion/taskatlas: $(O)/taskatlas
	@mkdir -p $(@D)
	$(Q)$< --dump-options bash >$@
$(O)/completion/_taskatlas: $(O)/taskatlas
	@mkdir -p $(@D)
	$(Q)$< --dump-options zsh >$@

.PHONY: man install uninstall
man: $(MAN_PAGE)

install: all $(MAN_PAGE) $(COMPLETIONS)
	$(Q)$(INSTALL) -D -m 755 $(O)/taskatlas $(DESTDIR)$(bindir)/taskatlas
	$(Q)$(INSTALL) -D -m 644 $(MAN_PAGE) $(DESTDIR)$(mandir)/man1/taskatlas.1
	$(Q)$(INSTALL) -D -m 644 $(O)/completion/taskatlas $(DESTDIR)$(bashdir)/taskatlas
	$(Q)$(INSTALL) -D -m 644 $(O)/completion/_taskatlas $(DESTDIR)$(zshdir)/_taskatlas
	$(Q)$(INSTALL) -d $(DESTDIR)$(docdir)
	$(Q)$(INSTALL) -m 644 LICENSE LICENSES/*.txt README.md $(DESTDIR)$(docdir)

uninstall:
	$(Q)rm -f $(DESTDIR)$(bindir)/taskatlas $(DESTDIR)$(mandir)/man1/taskatlas.1 \
		$(DESTDIR)$(bashdir)/taskatlas $(DESTDIR)$(zshdir)/_taskatlas
	$(Q)rm -rf $(DESTDIR)$(docdir)

## make install        program, manual page, completions: prefix=/usr/local, DESTDIR=dir
## make uninstall      and away again
