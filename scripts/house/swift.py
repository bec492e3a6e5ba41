"""Reads Swift source as far as the layout needs it: what a file declares, and which names each declaration uses.

The source is formatted by `swift format`, so a declaration begins in a line of its own.
"""

import dataclasses
import re

# A string of any form, or a comment. What an interpolation holds is code.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)"""|(#*)"', re.S)

ATTRIBUTES = r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
MODIFIERS = r"(?:(?:public|package|internal|fileprivate|private|open|final|indirect|nonisolated|static|class|mutating" \
    r"|nonmutating|override|required|convenience|lazy|weak|unowned|dynamic|prefix|postfix|infix|consuming|borrowing" \
    r"|(?:private|fileprivate|package|internal)\(set\)|(?:nonisolated|unowned)\(\w+\)|@\w+(?:\([^)\n]*\))?)\s+)*"
DECLARATION = re.compile(
    rf"(?P<modifiers>{MODIFIERS})(?P<kind>struct|class|enum|protocol|actor|typealias|associatedtype|extension|func|init"
    r"|subscript|let|var|case|macro|operator|precedencegroup|deinit)\b[?!]?\s*(?P<name>[\w.]+|[^\s\w(<{]+)?")
TYPES = {"struct", "class", "enum", "protocol", "actor", "typealias"}
IMPORT = re.compile(
    r"^(?P<attributes>(?:@\w+(?:\([^)\n]*\))?\s+)*)(?:(?P<access>public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?P<module>(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?[\w.]+)\s*$", re.M)


def without_text(source):
    """The source with blanks in place of comments and of what strings say. Lines and columns stay."""
    kept, at = [], 0
    while match := TEXT.search(source, at):
        kept.append(source[at:match.start()])
        end = match.end() if match[1] is None and match[2] is None else end_of_string(source, match, kept_code := [])
        blank = list(re.sub(r"[^\n]", " ", source[match.start():end]))
        if match[1] is not None or match[2] is not None:
            for start, code in kept_code:
                blank[start - match.start():start - match.start() + len(code)] = without_text(code)
        kept.append("".join(blank))
        at = end
    return "".join(kept) + source[at:]


def end_of_string(source, opening, code):
    """Where the string ends. What its interpolations hold is added to `code`, with where it starts."""
    hashes = opening[1] if opening[1] is not None else opening[2]
    closing, escape = opening[0].lstrip("#") + hashes, "\\" + hashes
    at = opening.end()
    while at < len(source):
        if source.startswith(closing, at):
            return at + len(closing)
        if source.startswith(escape + "(", at):
            start = at + len(escape) + 1
            at = end_of_parentheses(source, start)
            code.append((start, source[start:at]))
        elif source.startswith(escape, at):
            at += len(escape) + 1
        else:
            at += 1
    return at


def end_of_parentheses(source, at):
    depth = 1
    while at < len(source):
        if match := TEXT.match(source, at):
            is_string = match[1] is not None or match[2] is not None
            at = end_of_string(source, match, []) if is_string else match.end()
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        if depth == 0:
            return at
        at += 1
    return at


@dataclasses.dataclass
class Declaration:
    """A declaration at the top of a file, or a member of one."""
    kind: str
    name: str
    modifiers: str
    first: int  # lines, from 0; comments and attributes above included
    last: int
    code: str  # without comments and strings
    members: list

    @property
    def is_private(self):
        return re.search(r"\b(?:private|fileprivate)\b(?!\()", self.modifiers) is not None

    @property
    def type(self):
        """The type that the declaration is a part of, or none."""
        return self.name.split(".")[0] if self.kind in TYPES or self.kind == "extension" else None

    @property
    def lines(self):
        return self.last - self.first + 1

    @property
    def words(self):
        return set(re.findall(r"\w+", self.code))


class File:
    """What a file declares and imports."""

    def __init__(self, source):
        self.source = source
        self.code = without_text(source)
        self.imports = [Import(match) for match in IMPORT.finditer(self.code)]
        self.declarations = declarations(source.split("\n"), self.code.split("\n"))

    @property
    def lines(self):
        return self.source.count("\n")

    def types(self):
        """What the file declares or extends: for each type its parts, in order."""
        found = {}
        for declaration in self.declarations:
            if declaration.type:
                found.setdefault(declaration.type, []).append(declaration)
        return found


class Import:
    LEVELS = ("private", "fileprivate", "internal", "package", "public")

    def __init__(self, match):
        self.module = " ".join(match["module"].split())
        self.access = match["access"] or ""
        self.attributes = match["attributes"].split()
        self.span = match.span()

    @property
    def level(self):
        return self.LEVELS.index(self.access or "internal")


def declarations(lines, code, first=0, last=None, indent=""):
    """The declarations that stand at `indent` in the lines."""
    last = len(code) - 1 if last is None else last
    found, above, at = [], None, first
    start_of = re.compile(rf"{indent}(?=\S)")
    while at <= last:
        source = lines[at][len(indent):] if lines[at].startswith(indent) else ""
        text = code[at][len(indent):] if start_of.match(code[at]) else ""
        match = DECLARATION.match(text)
        if match:
            end = end_of_declaration(code, at, last)
            found.append(declaration(match, lines, code, at if above is None else above, at, end, indent))
            above, at = None, end + 1
            continue
        if source[:1] in ("/", "@", "*", " ") and (source.startswith(("//", "/*", "@", " *")) or above is not None):
            above = at if above is None else above
        elif not source.strip() or text:
            above = None
        at += 1
    return found


def end_of_declaration(code, at, last):
    """The line in which the brackets that the declaration opens are closed."""
    depth = 0
    for line in range(at, last + 1):
        depth += sum({"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(sign, 0) for sign in code[line])
        following = code[line + 1] if line < last else ""
        goes_on = following.strip() and (depth_of(following) > depth_of(code[at]) or following.strip() == "{")
        if depth <= 0 and not goes_on:
            return line
    return last


def depth_of(line):
    return len(line) - len(line.lstrip())


def declaration(match, lines, code, above, at, end, indent):
    body = "\n".join(code[above:end + 1])
    members = []
    if match["kind"] in TYPES or match["kind"] == "extension":
        members = declarations(lines, code, at + 1, end - 1, indent + "    ")
    name = match["name"] or ""
    return Declaration(match["kind"], name, match["modifiers"], above, end, body, members)
