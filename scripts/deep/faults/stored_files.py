"""What a project's rows and the folder of its files have."""

import os
import pathlib
import time

from deep.clients.file_sender import path
from harness import tidemark
from harness.sample import SampleServer


def stored_rows(server):
    """The digests of the rows that say `stored`, by id."""
    answer = server.request("GET", path(server.project, "attachments/?limit=500"), server.project.token)
    return {row["id"]: row["file"] for row in answer.json["results"] if row["state"] == "stored"}


def leftover(project):
    """What is wrong in the folder after a sweep; None if it has what rows name, each once. No server is running."""
    with SampleServer(project) as server:
        named = sorted(set(stored_rows(server).values()))
    folder = pathlib.Path(f"{project.database}-files")
    # A sweep leaves alone for a day what the database does not know.
    old = time.time() - 2 * 86_400
    for file in folder.glob("??/*"):
        os.utime(file, (old, old))
    tidemark.output("purge", "--older-than", "0s", "--files-older-than", "0s", database=project.database)
    left = sorted(file.name.split(".")[0] for file in folder.glob("??/*"))
    return None if left == named else f"after a sweep the folder has {len(left)} files, and rows name {len(named)}"
