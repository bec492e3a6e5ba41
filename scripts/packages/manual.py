"""The manual page, made of what the binary says of itself: it can't name a command that does not exist."""

import datetime
import re

PAGE = r""".TH TIDEMARK 1 "{day}" "Tidemark {version}" "User Commands"
.SH NAME
tidemark \- {purpose}
.SH SYNOPSIS
.B tidemark
.I COMMAND
.RI [ OPTION .\|.\|.]
.SH DESCRIPTION
One program is the server, its administration, import and export of Microsoft Project plans, and a client.
.B tidemark help
.I COMMAND
describes a command with its options.
.SH COMMANDS
{commands}
.SH FILES
.TP
.I /etc/tidemark/tidemark.env
Settings of the service, one NAME=value a line.
.TP
.I /var/lib/tidemark/tidemark.db
The service's database. Commands that root runs without
.B \-\-database
use it.
.SH EXIT STATUS
0 for done, 1 for failed, 2 for wrong usage, 3 if the server did not take some edits.
.SH SEE ALSO
.I /usr/share/doc/tidemark/operations.md
has all settings and commands,
.I /usr/share/doc/tidemark/packages.md
upgrades and the way back.
"""


def page(help_text, version, moment):
    """`help_text` is what `tidemark --help` prints; `moment` is in seconds since 1970."""
    purpose = re.search(r"^OVERVIEW: (?:An? )?(.*?)\n\n", help_text, re.S)[1]
    listed = re.search(r"^SUBCOMMANDS:\n(.*?)\n\n", help_text, re.S | re.M)[1]
    commands = re.findall(r"^  (\S+) +(.*(?:\n {10,}.*)*)", listed, re.M)
    day = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%d")
    return PAGE.format(
        day=day, version=version, purpose=roff(purpose).rstrip("."),
        commands="\n".join(f".TP\n.B {roff(name)}\n{roff(what)}" for name, what in commands))


def roff(text):
    """A text on one line, without the signs that begin requests."""
    return " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
