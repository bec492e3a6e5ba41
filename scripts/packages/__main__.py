"""Writes the texts of a release that are made of the binary and its build. See scripts/release."""

import argparse
import os
import pathlib

from harness.environment import ENVIRONMENT
from harness.processes import output
from packages import manual, spdx
from packages.linked import Build


def main():
    parser = argparse.ArgumentParser(prog="packages", description="Writes the texts of a release.")
    parser.add_argument("stage", type=pathlib.Path, help="the folder with the binary and the folder debian")
    parser.add_argument("version")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="SwiftPM's folder of the build")
    options = parser.parse_args()
    moment, build = int(os.environ["SOURCE_DATE_EPOCH"]), Build(options.build)
    texts = {
        "tidemark.spdx.json": spdx.document(options.stage, build, options.version, moment),
        "third-party.txt": third_party(build),
        "tidemark.1": manual.page(
            output(options.stage.absolute() / "tidemark", "--help", env=ENVIRONMENT), options.version, moment),
    }
    for name, text in texts.items():
        (options.stage / name).write_text(text)


def third_party(build):
    """The licences and notices of what is linked in, as these licences ask for."""
    parts = [(f"{each.name} {each.version}", path) for each in build.packages for path in each.texts]
    head = (
        "Tidemark's binary holds these packages, under their own licences, and the runtime of Swift "
        f"{build.swift}, under the\nApache License 2.0 with Swift's exception for what is compiled.\n")
    return head + "".join(
        f"\n{'=' * 79}\n{name}: {path.name}\n{'=' * 79}\n\n{path.read_text().strip()}\n" for name, path in parts)


if __name__ == "__main__":
    main()
