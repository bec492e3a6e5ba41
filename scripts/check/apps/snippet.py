"""Runs TruePPM's published client snippet, unmodified, while a second client writes between its pages.

The arguments are the file with the snippet, ../shared/seeds/trueppm-offline-sync.txt without it, and the seed.
"""

from check.apps.published import run_published, seeds


def main(page=None, seed=None):
    run_published("TruePPM's snippet", page or seeds("trueppm-offline-sync.txt"), "snippet.mjs", seed)
