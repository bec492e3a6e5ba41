"""Which Swift packages are linked into the binary, by what SwiftPM has left in its folder of the build."""

import functools
import json
import pathlib
import re

from harness.environment import ROOT

LICENCES = {
    "Runtime Library Exception": "Apache-2.0 WITH Swift-exception",
    "Apache License": "Apache-2.0",
    "Permission is hereby granted, free of charge": "MIT",
}


class Package:
    """A package as SwiftPM has checked it out."""

    def __init__(self, folder, entry):
        reference, state = entry["packageRef"], entry["state"]["checkoutState"]
        self.name, self.location = reference["identity"], reference["location"]
        self.revision = state["revision"]
        self.version = state.get("version") or self.revision
        self.folder = folder / "checkouts" / entry["subpath"]

    @functools.cached_property
    def _manifest(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("Package*.swift")))

    @functools.cached_property
    def _folders(self):
        return {path.name for path in self.folder.glob("Sources/**/") if path.is_dir()}

    def has(self, module):
        """Whether the manifest has the module. A manifest that computes its targets has a folder of that name."""
        target = rf'arget\(\s*name: "{re.escape(module)}"'
        return re.search(target, self._manifest) is not None or module in self._folders

    @functools.cached_property
    def texts(self):
        """The licences and notices of the package and of what it has taken from others."""
        names = "LICEN[SC]E*", "NOTICE*", "Sources/**/LICEN[SC]E*"
        return sorted(path for name in names for path in self.folder.glob(name) if path.is_file())

    @property
    def licence(self):
        text = "".join(path.read_text() for path in self.texts if path.parent == self.folder)
        return next((licence for words, licence in LICENCES.items() if words in text), "NOASSERTION")

    def find(self, file, pattern):
        """The first group of a pattern in a file of the package."""
        return re.search(pattern, (self.folder / file).read_text())[1]


class Build:
    """SwiftPM's folder of a build, .build in the checkout where it was built."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        state = json.loads((self.folder / "workspace-state.json").read_text())
        self._packages = [
            Package(self.folder, entry) for entry in state["object"]["dependencies"]
            if "checkoutState" in entry["state"]]

    @property
    def swift(self):
        """The version of the toolchain, whose runtime is linked in."""
        text = "".join(path.read_text() for path in (self.folder / "release").glob("swift-version*.txt"))
        return re.search(r"Swift version (\S+)", text)[1]

    @functools.cached_property
    def packages(self):
        """Those of which an object file went to the linker, by name."""
        objects = (self.folder / "release/tidemark.product/Objects.LinkFileList").read_text()
        modules = set(re.findall(r"/(\w+)\.build/", objects))
        own = {path.name for path in (ROOT / "Sources").iterdir()} | {"Schemas"}
        linked = {module: [each for each in self._packages if each.has(module)] for module in modules - own}
        if strange := sorted(module for module, packages in linked.items() if not packages):
            raise SystemExit(f"Nobody knows of which package these are: {', '.join(strange)}. See {__file__}.")
        return sorted({each for packages in linked.values() for each in packages}, key=lambda each: each.name)

    def package(self, name):
        return next(each for each in self.packages if each.name == name)
