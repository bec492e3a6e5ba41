"""Disks of their own for databases: an ext4 file system in a file, and a small one in memory."""

import copy
import shutil
import subprocess

from harness.processes import output
from harness.requirements import Skipped
from harness.sample import SampleProject
from harness.temporary import TEMP


class Disk:
    """Mounted as long as it is entered."""

    def __init__(self, folder, mount):
        """`mount` are the arguments of the command but for the folder."""
        self.folder, self._mount = folder, mount
        self.folder.mkdir(exist_ok=True)

    def __enter__(self):
        done = subprocess.run(["mount", *map(str, self._mount), str(self.folder)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"no mount: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        output("umount", self.folder)

    def fill(self):
        """Leaves no room on it."""
        with open(self._filler, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass  # There is no room left, as it should be.

    def free(self):
        """Makes the room again."""
        self._filler.unlink(missing_ok=True)

    @property
    def _filler(self):
        return self.folder / "filler"

    def project(self, writers):
        """A small project on this disk."""
        made = SampleProject(100, writers)
        for file in TEMP.glob(made.database.name + "*"):
            shutil.move(file, self.folder / file.name)
        output("sync", "-f", self.folder)
        return self.moved(made)

    def moved(self, project):
        """The same project as it is on this disk."""
        here = copy.copy(project)
        here.database = self.folder / project.database.name
        return here


class ImageDisk(Disk):
    """An ext4 file system in a file."""

    def __init__(self, name, image=None, size="128M"):
        """`image` is a file to mount; without it there is a new one of this size."""
        self.image = image or TEMP / f"{name}.img"
        if image is None:
            output("truncate", "-s", size, self.image)
            output("mkfs.ext4", "-q", "-F", self.image)
        super().__init__(TEMP / f"{name}.mnt", ["-o", "loop", self.image])

    def __exit__(self, *_):
        super().__exit__()
        self.image.unlink()

    def copied(self):
        """The image of what the disk holds at this moment."""
        image = self.image.with_suffix(".cut")
        output("cp", "--sparse=always", self.image, image)
        return image


class MemoryDisk(Disk):
    """A small tmpfs."""

    def __init__(self, megabytes):
        super().__init__(TEMP / "small", ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs"])
