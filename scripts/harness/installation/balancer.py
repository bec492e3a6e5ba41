"""nginx in front of several servers, which get the requests in turn."""

import os
import shutil

from harness.processes import Daemon, free_port
from harness.requirements import Skipped
from harness.temporary import TEMP

# A request goes on as it came, malformed or not, and so does the answer.
TRANSPARENT = """
    client_max_body_size 0; ignore_invalid_headers off; underscores_in_headers on; merge_slashes off;
    large_client_header_buffers 8 64k;
    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
    proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 660s;"""


def nginx():
    """The path of nginx."""
    path = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not path:
        raise Skipped("there is no nginx. Install it: sudo apt-get install nginx-light")
    return path


class Balancer(Daemon):
    """nginx with a folder of its own, and what belongs into its `http` block. One process, so it can be killed."""

    def __init__(self, name, blocks, port=None):
        """`blocks` is a text, or a function that makes it of the port."""
        self.port = port or free_port()
        home = TEMP / f"{name}-{self.port}"
        home.mkdir()
        temporary = "".join(
            f"{kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        text = blocks(self.port) if callable(blocks) else blocks
        (home / "nginx.conf").write_text(
            f"{user}daemon off;\nmaster_process off;\npid {home}/pid;\nerror_log stderr warn;\n"
            f"events {{ worker_connections 4096; }}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n")
        super().__init__(name, [nginx(), "-e", "stderr", "-c", home / "nginx.conf"], self.port)


def in_turn(ports):
    """A function for `Balancer`: requests go to the ports in turn, and on to the next one from one that is down."""
    return in_turn_to([f"127.0.0.1:{port}" for port in ports])


def in_turn_to(addresses, settings=""):
    """The same for servers elsewhere, and with more settings of the proxy."""
    servers = "".join(f"server {address} max_fails=0;" for address in addresses)
    return lambda port: (
        f"upstream both {{ {servers} keepalive 32; }}\n"
        f"server {{ listen 127.0.0.1:{port};{TRANSPARENT}{settings}\nlocation / {{ proxy_pass http://both; }} }}\n")
