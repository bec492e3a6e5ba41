"""The Swift samples of a page, as files for the compiler.

A sample with imports is a file. Any other is a function of `Screen` in swift/context.swift, which has what an app has
around it. SwiftUI, which is not there on Linux, has stand-ins in that file.
"""

import re

# A whole program, and a manifest: they are built by themselves.
OTHERS = ("let folder =", "import PackageDescription")


def files(page):
    """The texts of the samples, by the names of their files. A line of a sample is at its place in the page."""
    found, functions = {}, {}
    for match in re.finditer(r"```swift\n(.*?)```", page, re.S):
        text, line = match[1], page[: match.start()].count("\n") + 2
        if any(other in text for other in OTHERS):
            continue
        if "import " in text:
            found[f"Sample{line}.swift"] = text.replace("import SwiftUI\n", "\n")
        else:
            functions[line] = text
    body = ["import SyncClient", "extension Screen {"]
    for line, text in functions.items():
        body += [f"func sample{line}() async throws {{", f'#sourceLocation(file: "swift-app.md", line: {line})',
                 text.rstrip(), "#sourceLocation()", "}"]
    found["Samples.swift"] = "\n".join([*body, "}"])
    return found
