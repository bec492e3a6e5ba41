"""Other versions of Tidemark, built from their commits."""

import shutil

from benchmarks.report import KEPT, say
from harness.environment import ENVIRONMENT, ROOT
from harness.processes import output


def built(commit):
    """The release binary of a commit. It is built once, and kept."""
    name = output("git", "-C", ROOT, "rev-parse", "--verify", f"{commit}^{{commit}}").strip()
    folder = KEPT / "versions" / name
    binary, source = folder / "tidemark", folder / "source"
    if not binary.exists():
        shutil.rmtree(source, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        say(f"building {name[:12]}, which takes some minutes")
        output("git", "-C", ROOT, "worktree", "prune")
        output("git", "-C", ROOT, "worktree", "add", "--detach", source, name)
        try:
            output(
                "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "tidemark", cwd=source,
                env=ENVIRONMENT)
            shutil.copy2(source / ".build/release/tidemark", binary)
        finally:
            output("git", "-C", ROOT, "worktree", "remove", "--force", source)
    return binary
