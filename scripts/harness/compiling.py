"""Programs and libraries in C that checks and measurements need."""

import functools

from harness.processes import output
from harness.temporary import TEMP


@functools.cache
def compiled(source, *options, compiler="gcc"):
    """The program of one source file."""
    path = TEMP / source.stem
    output(compiler, "-O2", "-Wall", "-Wextra", "-o", path, source, *options)
    return path


def preloaded(source, compiler="gcc"):
    """The library of one source file, for LD_PRELOAD."""
    return compiled(source, "-shared", "-fPIC", "-ldl", compiler=compiler)
