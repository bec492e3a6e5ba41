"""Merges the files of a tree as a map says. See `scripts/merge-files`."""

import collections
import dataclasses
import posixpath
import re

from house import swift


@dataclasses.dataclass
class Target:
    folder: str
    new_folder: str
    files: dict  # new file: its old parts, both as names without `.swift`
    moves_rest: bool = False


def read_map(text):
    targets = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if not line.startswith(" "):
            targets.append(Target(words[0], words[-1], {}))
        elif words == ["*"]:
            targets[-1].moves_rest = True
        elif words[0].endswith(":"):
            name = words[0][:-1]
            targets[-1].files[name] = words[1:] or [name.rpartition("/")[2]]
        else:
            last = list(targets[-1].files)[-1]
            targets[-1].files[last] += words
    return targets


class Plan:
    """Which paths of a tree become which, and what stands in the way."""

    def __init__(self, targets, paths):
        self.parts = {}  # new path: old paths, in order
        self.moves = {}  # old path: new path, for files that only move with their folder
        self.unknown, self.missing, self.mistakes = [], [], []
        for target in targets:
            self._plan(target, [path for path in paths if path.startswith(target.folder + "/")])

    def _plan(self, target, paths):
        by_name, used, new_names = {}, collections.Counter(), collections.Counter()
        for path in paths:
            if path.endswith(".swift"):
                by_name.setdefault(posixpath.basename(path)[:-len(".swift")], path)
        for name, parts in target.files.items():
            used.update(parts)
            new_names[name.rpartition("/")[2]] += 1
            self.missing += [f"{target.folder}: {part}.swift" for part in parts if part not in by_name]
            if found := [by_name[part] for part in parts if part in by_name]:
                self.parts[f"{target.new_folder}/{name}.swift"] = found
        twice = {name for names in (used, new_names) for name, count in names.items() if count > 1}
        self.mistakes += [f"{target.folder}: {name} stands twice in the map" for name in sorted(twice)]
        for path in paths:
            name = posixpath.basename(path)[:-len(".swift")]
            if name in used and by_name.get(name) == path:
                continue
            if target.moves_rest:
                self.moves[path] = target.new_folder + path[len(target.folder):]
            elif path.endswith(".swift"):
                self.unknown.append(path)

    def new_path(self, old):
        """Where the file is found afterwards."""
        if old in self.moves:
            return self.moves[old]
        return next((new for new, parts in self.parts.items() if old in parts), old)

    def keeper(self, new, lengths):
        """The part whose history the new file has: the one that was there, or the largest."""
        parts = self.parts[new]
        return new if new in parts else max(parts, key=lambda part: lengths[part])


@dataclasses.dataclass
class Part:
    head: list  # comments above the imports
    imports: dict  # condition, or none: the imports under it
    body: list  # all lines below


CONDITION = re.compile(r"#(if|elseif|else|endif)\b\s*(.*)")


def part(source):
    """A file in its parts. Imports stand above all declarations, some of them between `#if` and `#endif`."""
    lines, code = source.split("\n"), swift.without_text(source).split("\n")
    imports, head, at, condition, body_from, pending = {}, [], 0, None, None, None
    while at < len(lines):
        found, switch = swift.IMPORT.match(code[at]) or swift.IMPORT.match(code[at].strip()), CONDITION.match(code[at])
        if found:
            imports.setdefault(condition, []).append(swift.Import(found))
            body_from = at + 1 if condition is None else body_from
        elif switch and switch[1] == "if" and condition is None:
            condition, pending = switch[2], at
        elif switch and switch[1] == "endif" and condition is not None:
            condition, body_from = None, at + 1
        elif switch:
            raise ValueError("an import under #else")
        elif code[at].strip():
            break
        at += 1
    if condition is not None:
        # What begins there is more than imports.
        imports.pop(condition, None)
    first = next((index for index, line in enumerate(code) if swift.IMPORT.match(line.strip()) or
                  CONDITION.match(line)), None)
    if body_from is None:
        first, body_from = 0, 0
    head = strip(lines[:first]) if body_from else []
    return Part(head, imports, strip(lines[body_from:]))


def strip(lines):
    while lines and not lines[0].strip():
        lines = lines[1:]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def merged(sources):
    """One file of several: what they import, then what each holds, in this order."""
    parts = [part(source) for source in sources]
    united = {}
    for one in parts:
        for condition, imports in one.imports.items():
            for found in imports:
                unite(united.setdefault(condition, {}), found)
    blocks = [*([parts[0].head] if parts[0].head else []), *import_blocks(united)]
    for index, one in enumerate(parts):
        blocks += [block for block in (one.head if index else [], one.body) if block]
    text = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    check_lines(sources, text)
    return text


def unite(imports, found):
    known = imports.get(found.module)
    if not known:
        imports[found.module] = found
        return
    known.attributes += [attribute for attribute in found.attributes if attribute not in known.attributes]
    if found.level > known.level:
        known.access = found.access


def import_blocks(united):
    """In the order of `swift format`: modules, single declarations, then what is imported for tests."""
    always = sorted(united.get(None, {}).values(), key=lambda found: found.module)
    groups = [[], [], []]
    for found in always:
        groups[2 if "@testable" in found.attributes else 1 if " " in found.module else 0].append(written(found))
    for condition, imports in sorted((pair for pair in united.items() if pair[0] is not None)):
        lines = ["    " + written(found) for found in sorted(imports.values(), key=lambda found: found.module)]
        groups.append([f"#if {condition}", *lines, "#endif"])
    return [group for group in groups if group]


def written(found):
    return " ".join(word for word in (*found.attributes, found.access, "import", found.module) if word)


def check_lines(sources, text):
    """No statement has changed: the lines that are neither blank nor imports are the same."""
    def statements(source):
        whole = part(source)
        return collections.Counter(line for line in whole.head + whole.body if line.strip())

    before = sum((statements(source) for source in sources), collections.Counter())
    if before != statements(text):
        raise ValueError("lines were lost or added")


def collisions(sources):
    """Names that a file keeps to itself and that would mean something else, or two things, in one file with others.
    `sources`: path and text of each."""
    files = {path: swift.File(text) for path, text in sources.items()}
    for path, file in files.items():
        for other in (other for other in files if other != path):
            for owner, name, is_function in sorted(names(file, kept=True)):
                word = f"{owner}.{name}" if owner else name
                if (owner, name, is_function) in names(files[other], kept=True):
                    if path < other:
                        yield f"{path} and {other} both keep {word} to themselves"
                elif (owner, name, is_function) in names(files[other], kept=False):
                    if says(files[other], name, after_dots=True) > 1:
                        yield f"{path} keeps {word} to itself, and {other} has another one"
                elif not owner and says(files[other], name):
                    yield f"{path} keeps {word} to itself, and it means something else in {other}"


def names(file, kept):
    """What the file declares for itself (`kept`) or for others: owner, name, and whether it is a function."""
    found = set()
    for declaration in file.declarations:
        is_extension = declaration.kind == "extension"
        owner = declaration.name.split(".")[-1]
        if not is_extension and declaration.is_private == kept:
            found.add(("", declaration.name, declaration.kind == "func"))
        for member in declaration.members:
            is_kept = member.is_private or is_extension and declaration.is_private
            if member.name and is_kept == kept and (is_extension or not declaration.is_private):
                found.add((owner, member.name, member.kind == "func"))
    return found


def says(file, name, after_dots=False):
    """How often the file says the name, but not as a label."""
    return len(re.findall(rf"(?<![{'' if after_dots else '.'}\w]){re.escape(name)}\b(?!:)", file.code))
