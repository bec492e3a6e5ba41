"""Tries what scripts/release makes. See scripts/check-packages."""

import argparse

from check import reporting
from check.packages import by_hand, image, release, trials, upgrade
from harness.requirements import require_root

ALL = ("bytes", "tarball", "lint", "machines", "image")


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-packages", description="Tries what scripts/release makes.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(ALL)}; all without")
    names = parser.parse_args().names
    if strange := set(names) - set(ALL):
        parser.error(f"there is no check {strange.pop()}. There are: {', '.join(ALL)}")
    reporting.run("packages", run, [names or ALL])


def run(names):
    require_root("a machine in a folder")
    if "bytes" in names:
        release.check_bytes(has_image="image" in names)
    if "tarball" in names:
        release.check_tarball()
    if "lint" in names:
        release.check_lint()
    if "machines" in names:
        fetched = trials.in_folder()
        trials.booted(fetched)
        upgrade.upgraded(fetched)
        by_hand.installed(fetched)
    if "image" in names:
        image.tried()


if __name__ == "__main__":
    main()
