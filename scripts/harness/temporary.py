"""The temporary folder of a run. It is removed when the run ends."""

import atexit
import pathlib
import shutil
import tempfile

TEMP = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-"))


@atexit.register
def _remove():
    shutil.rmtree(TEMP, ignore_errors=True)
