"""Runs the sample of WatermelonDB's documentation, unmodified, on two phones that lose answers and edit the same rows.

The arguments are the file with the sample, ../shared/seeds/watermelondb-sync.txt without it, and the seed.
"""

from check.apps.published import run_published, seeds


def main(page=None, seed=None):
    run_published("WatermelonDB's sample", page or seeds("watermelondb-sync.txt"), "watermelondb.mjs", seed)
