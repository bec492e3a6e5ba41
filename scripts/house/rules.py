"""The rules for `Sources`: how large files and folders are, and what stands together in one.

Each takes a tree, which is the `swift.File` of each path, and yields what breaks it. `scripts/check/house` runs them.
"""

import collections
import pathlib

from house import functions, swift

FEW_LINES, MOST_LINES = 40, 600
LEAST_FILES, MOST_FILES = 3, 25
MOST_FILES_WITHOUT_FOLDERS = 20
# One in this many may be an exception.
SHARE = 10

# Files of which a type names no other one of the file and is named by none, with the reason.
LOOSE_FILES = {
    "Sources/SyncProtocol/SyncSeq.swift": "numbers and ids that must not be mixed",
    "Sources/SyncStore/AccountReads.swift": "in which form names are compared, beside what is looked up by name",
    "Sources/SyncStore/CheckReport.swift": "what a check finds, and how it is watched",
    "Sources/SyncStore/StoredAnswer.swift": "from which size on a record counts against what a user may have",
    "Sources/SyncStore/SyncStore.swift": "the errors of a store, and the ids that it is given",
    "Sources/tidemark/Commands/RestoredCommand.swift": "two commands that say what became of a database",
    "Sources/tidemark/Terminal.swift": "what a command reads and writes",
}

# Names of types in two targets. One is to have another name; none is to be added.
NAMES_USED_TWICE = {
    "AccountChanges", "Connection", "Fetch", "FileLock", "LeftProject", "Member", "PageResponse", "Session",
    "StoreFailure", "StoredRow", "UploadAnswer", "UploadBatch",
}

# Functions that may have more than two parameters without a label, as "Target/name", with the reason.
UNLABELLED: dict[str, str] = {}


def target(path):
    return path.split("/")[1]


def by_target(tree):
    found = collections.defaultdict(dict)
    for path, file in tree.items():
        found[target(path)][path] = file
    return found


def allowed(count):
    return max(1, count // SHARE)


def lengths(tree):
    """A target has few short files, and no file is long."""
    for path, file in tree.items():
        if file.lines > MOST_LINES:
            yield f"{path}: {file.lines} lines, more than {MOST_LINES}"
    for name, files in by_target(tree).items():
        short = [path for path, file in files.items() if file.lines < FEW_LINES]
        if len(short) > allowed(len(files)):
            yield (f"Sources/{name}: {len(short)} of {len(files)} files have less than {FEW_LINES} lines,"
                   f" {allowed(len(files))} may: {', '.join(sorted(short))}")


def folders(tree):
    """A large target has folders of some files each; a small one has none."""
    for name, files in by_target(tree).items():
        counts = collections.Counter(str(pathlib.PurePosixPath(path).parent) for path in files)
        if len(files) <= MOST_FILES_WITHOUT_FOLDERS:
            for folder in sorted(set(counts) - {f"Sources/{name}"}):
                yield f"{folder}: a target of {len(files)} files has no folders"
            continue
        for folder, count in sorted(counts.items()):
            if not LEAST_FILES <= count <= MOST_FILES:
                yield f"{folder}: {count} files, not {LEAST_FILES} to {MOST_FILES}"


def connections(tree, loose=None):
    """Types that stand in one file have to do with each other."""
    loose = LOOSE_FILES if loose is None else loose
    names = {name: declared(files.values()) for name, files in by_target(tree).items()}
    with_several = 0
    for path, file in tree.items():
        types = Types(file, names[target(path)])
        with_several += len(types.declared) > 1
        alone = types.alone()
        if alone and path not in loose:
            yield (f"{path}: {', '.join(alone)} names no other type of the file and is named by none,"
                   " so it belongs elsewhere")
        if not alone and path in loose:
            yield f"{path}: its types are connected, so it is no exception"
    for path in sorted(set(loose) - set(tree)):
        yield f"{path}: an exception that is not there"
    if len(loose) > allowed(with_several):
        yield f"{len(loose)} exceptions among {with_several} files of several types, more than one in {SHARE}"


def declared(files):
    """The names of the types that files declare at the top."""
    return {declaration.name for file in files for declaration in file.declarations if declaration.kind in swift.TYPES}


class Types:
    """What a file declares and extends."""

    def __init__(self, file, of_target):
        self.declared = declared([file])
        parts = file.types()
        self.lines = {name: sum(part.lines for part in found) for name, found in parts.items()}
        self.words = {name: set().union(*(part.words for part in found)) for name, found in parts.items()}
        # An extension of another target's type connects nothing by its name: many types name `JSON`.
        self.own = {name for name in parts if name in of_target}

    def names_another(self, name):
        return self.words[name] & (self.own - {name})

    def alone(self):
        """Declared types without a connection, if there are several."""
        if len(self.declared) < 2:
            return []
        return [name for name in sorted(self.declared)
                if not self.names_another(name)
                and not any(name in words for other, words in self.words.items() if other != name)]

    def leaders(self):
        """What the file may be called: its largest type, or one that names at least half of the others."""
        names = self.declared or set(self.lines)
        most = max((self.lines[name] for name in names), default=0)
        others = len(names) - 1
        return {name for name in names if self.lines[name] == most
                or 2 * len(self.words[name] & names - {name}) >= others > 0}


def titles(tree):
    """A file is called after its largest type or after the one that leads through it; `Type+Topic` after any that it
    extends."""
    names = {name: declared(files.values()) for name, files in by_target(tree).items()}
    for path, file in tree.items():
        types = Types(file, names[target(path)])
        stem, _, topic = pathlib.PurePosixPath(path).stem.partition("+")
        if types.lines and stem not in (types.lines if topic else types.leaders()):
            yield f"{path}: called after none of {', '.join(sorted(types.leaders()))}"


def names(tree, twice=None):
    """A name means one type."""
    twice = NAMES_USED_TWICE if twice is None else twice
    places = collections.defaultdict(set)
    for path, file in tree.items():
        for declaration in file.declarations:
            if declaration.kind in swift.TYPES and not declaration.is_private:
                places[declaration.name].add(target(path))
    for name, targets in sorted(places.items()):
        if len(targets) > 1 and name not in twice:
            yield f"{name} means a type of {' and one of '.join(sorted(targets))}"
    for name in sorted(twice):
        if len(places[name]) < 2:
            yield f"{name} means one type now, so it is no exception"


def labels(tree):
    """A call says what its arguments are."""
    for path, file in tree.items():
        for function in functions.functions(file.code):
            if function.unlabelled > 2 and f"{target(path)}/{function.name}" not in UNLABELLED:
                yield f"{path}:{function.line}: {function.name} has {function.unlabelled} parameters without a label"


def tuples(tree):
    """One value is assigned at a time, but for swaps and what one call returns."""
    for path, file in tree.items():
        for line in functions.tuple_assignments(file.code):
            yield f"{path}:{line}: assigns several values at once"
