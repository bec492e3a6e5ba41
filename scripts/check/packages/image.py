"""The image, by Debian's buildah, which has no registry to ask."""

import json
import subprocess

from check.packages import release
from check.packages.service import PASSWORD
from check.reporting import check, equal
from harness.client import Client
from harness.processes import Daemon, free_port, output
from harness.temporary import TEMP

BUILDAH = ["buildah", "--root", TEMP / "images/storage", "--runroot", TEMP / "images/run", "--storage-driver", "vfs"]


def tried():
    file = release.with_image().only("*.oci.tar")
    container = output(*BUILDAH, "from", f"oci-archive:{file}").strip()
    made = json.loads(output(*BUILDAH, "inspect", container))["OCIv1"]
    config = made["config"]
    equal("the image runs `tidemark serve`", config["Entrypoint"] + config["Cmd"], ["tidemark", "serve"])
    equal("as a user of its own", config["User"], "10001:10001")
    equal("with its data in a volume", list(config["Volumes"]), ["/data"])
    equal("it has one layer", len(made["rootfs"]["diff_ids"]), 1)
    inside = [*BUILDAH, "run", "--isolation", "chroot", container, "--"]
    said = output(*inside, "tidemark", "--version").split(",")[0].strip()
    equal("it is the version of the release", said, release.plain().version)
    equal("the user can't write outside of the volume",
          subprocess.run([str(word) for word in [*inside, "touch", "/usr/trial"]], capture_output=True).returncode, 1)
    output(*inside, "tidemark", "user", "add", "alice", "--password-stdin", input=PASSWORD + "\n")
    port = free_port()
    with Daemon("image", [*inside, "tidemark", "serve", "--port", port], port):
        answer = Client(port).request(
            "POST", "/api/v1/auth/token/", {"username": "alice", "password": PASSWORD})
        check("alice can sign in", answer.status == 200, answer)
