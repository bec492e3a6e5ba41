"""What the functions of Swift files are like: how long, with how many parameters that no label names."""

import dataclasses
import re

from house import swift

FUNCTION = re.compile(rf"^ *{swift.MODIFIERS}(?:func\s+(?P<name>[^\s(<]+)|(?P<init>init)[?!]?)\s*(?=[<(])", re.M)
# A statement that assigns a tuple to several names.
TUPLES = re.compile(r"^ *(?:(?:guard |if |else \{ )?(?:let|var) )?\((?P<names>[^()=]*,[^()=]*)\) = (?=\()", re.M)

# How a line begins in which a signature goes on.
GOES_ON = re.compile(r"\)|->|\{|(?:where|async|throws|rethrows)\b")


@dataclasses.dataclass
class Function:
    name: str
    line: int  # from 1
    lines: int  # from the one that begins its body to the one that ends it; 0 without a body
    unlabelled: int


def functions(code):
    """The functions and initializers in code without texts, however deep."""
    for match in FUNCTION.finditer(code):
        at = match.end()
        if code[at] == "<":
            at = after_angles(code, at)
            if code[at:at + 1] != "(":
                continue
        end = closing(code, at)
        parameters = split(code[at + 1:end])
        unlabelled = sum(parameter.split(":")[0].split()[:1] == ["_"] for parameter in parameters)
        yield Function(match["name"] or "init", code.count("\n", 0, match.end()) + 1, body_lines(code, end), unlabelled)


def body_lines(code, at):
    """How many lines the body has that begins after the parameters."""
    signature = re.compile(r"[{\n]")
    while at < len(code) and (found := signature.search(code, at)):
        if found[0] == "{":
            return code.count("\n", found.start(), closing(code, found.start())) + 1
        following = code[found.end():].split("\n", 1)[0].strip()
        # A signature goes on in the next line, or it is a requirement of a protocol.
        if not GOES_ON.match(following) and not code[at:found.start()].rstrip().endswith(","):
            return 0
        at = found.end()
    return 0


def closing(code, at):
    """Where the bracket at this place is closed."""
    depth = 0
    for place in re.finditer(r"[(\[{)\]}]", code[at:]):
        depth += 1 if place[0] in "([{" else -1
        if depth == 0:
            return at + place.start()
    return len(code) - 1


def after_angles(code, at):
    depth = 0
    for place in range(at, len(code)):
        depth += {"<": 1, ">": -1}.get(code[place], 0) if code[place - 1:place + 1] != "->" else 0
        if depth == 0:
            return place + 1
    return len(code) - 1


def split(text):
    """The parts of a list between commas, brackets kept whole."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        if sign in "([{<":
            depth += 1
        elif sign in ")]}" or sign == ">" and text[at - 1] != "-":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


def tuple_assignments(code):
    """The lines, from 1, that assign a tuple of values to a tuple of names and do not swap them."""
    for match in TUPLES.finditer(code):
        end = closing(code, match.end())
        values = split(code[match.end() + 1:end])
        rest = code[end + 1:].split("\n", 1)[0].strip()
        if rest.startswith((".", "(", "[")) or len(values) < 2:
            continue  # one call or one value
        if sorted(value.strip() for value in values) != sorted(name.strip() for name in match["names"].split(",")):
            yield code.count("\n", 0, match.start()) + 1
