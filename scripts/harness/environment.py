"""Where things are, and which variables child processes get."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A TIDEMARK_ variable of the caller must not change what is tested, and `serve` refuses those that it does not know.
# PYTHONPATH is how these scripts find each other; other programs in Python must not find them.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("TIDEMARK") and name != "PYTHONPATH"}
