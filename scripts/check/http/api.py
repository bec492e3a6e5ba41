"""Throws requests made from the served OpenAPI document at a server. The argument is the seed.

See `scripts/check-api`.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from check.reporting import check, seed_of
from harness.environment import ENVIRONMENT
from harness.processes import output
from harness.server import DemoServer
from harness.temporary import TEMP

HERE = pathlib.Path(__file__).parent
# What the document can't say (references, roles, rules over several fields) may refuse a request that it allows, so
# positive_data_acceptance is left out; see the configuration file for negative_data_rejection.
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "unsupported_method", "allow_header_conformance", "ignored_auth", "use_after_free",
    "negative_data_rejection", "missing_required_header", "ensure_resource_availability", "codes_are_documented",
]


def main(seed=None):
    seed, program = seed_of(seed), schemathesis()
    server = DemoServer().start()
    shutil.copy(HERE / "api_hooks.py", TEMP)
    command = [
        program, "--config-file", HERE / "api.toml", "run", f"{server.origin}/openapi.json",
        "--header", f"Authorization: Bearer {server.token}", "--seed", seed, "--checks", ",".join(CHECKS),
        "--max-examples", 60, "--max-time", 100, "--generation-database", "none", "--continue-on-failure", "--no-color",
    ]
    done = subprocess.run(
        [str(word) for word in command], cwd=TEMP, env=ENVIRONMENT | {"SCHEMATHESIS_HOOKS": "api_hooks"}, timeout=150)
    check("the server is still there", server.process.poll() is None, server.log.read_text()[-600:])
    check(f"schemathesis finds nothing, seed {seed}", done.returncode == 0)


def schemathesis():
    """The program; from PyPI if $SCHEMATHESIS names none."""
    if named := os.environ.get("SCHEMATHESIS"):
        return named
    folder = TEMP / "schemathesis"
    output(sys.executable, "-m", "venv", folder)
    output(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "schemathesis>=4.32,<5")
    return folder / "bin/schemathesis"
