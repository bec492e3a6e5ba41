"""nginx and Caddy with the blocks of docs/operations/https-and-proxies.md in front of a server.

Only names, ports and paths of certificates are replaced in the blocks. The proxies are installed from Debian if that is
allowed."""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess

from harness.environment import ROOT
from harness.processes import Daemon, free_port
from harness.temporary import TEMP
from harness.waiting import wait_until

NAME = "tidemark.example.org"


def block(language):
    page = (ROOT / "docs/operations/https-and-proxies.md").read_text()
    return re.search(rf"```{language}\n(.*?)```", page, re.S)[1]


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the block"
        text = text.replace(old, new)
    return text


def installed(package, command):
    """The path of the command, None if there is none. Installs its package if that is allowed."""
    path = os.environ["PATH"] + ":/usr/sbin"
    if not shutil.which(command, path=path):
        script = f'source scripts/common.sh; install_packages {package}'
        subprocess.run(["bash", "-c", script], cwd=ROOT, stdout=2, check=False)
    return shutil.which(command, path=path)


class Proxy(Daemon):
    """A proxy with a folder of its own."""

    def __init__(self, name, port, certificate, command):
        """`certificate` is the file of the authority that its clients trust."""
        self.name, self.folder, self.certificate = name, folder(name), certificate
        environment = os.environ | {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        super().__init__(name, command, port, environment)

    def context(self):
        """What its clients trust."""
        return ssl.create_default_context(cafile=self.certificate)

    def connect(self, source="127.0.0.1"):
        """A connection from that address, TLS inside."""
        plain = socket.create_connection(("127.0.0.1", self.port), 60, source_address=(source, 0))
        connection = http.client.HTTPConnection(NAME, timeout=60)
        connection.sock = self.context().wrap_socket(plain, server_hostname=NAME)
        return connection

    def ask(self, method, path, body=None, source="127.0.0.1", **headers):
        connection = self.connect(source)
        connection.request(method, path, body, {"Host": NAME} | {k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        answer = response.status, response.headers, response.read()
        connection.close()
        return answer


def folder(name):
    path = TEMP / name
    path.mkdir(exist_ok=True)
    return path


def certificate():
    """A new certificate for the name, and its key."""
    files = TEMP / "cert.pem", TEMP / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-addext",
         f"subjectAltName=DNS:{NAME}", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return map(str, files)


def nginx(command, server, protocols=""):
    """`protocols` are those of the listener besides HTTP/1.1, such as `http2`."""
    chain, key = certificate()
    port, home = free_port(), folder("nginx")
    live = f"/etc/letsencrypt/live/{NAME}"
    text = replaced(
        block("nginx"), ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl {protocols}"), (f"{live}/fullchain.pem", chain),
        (f"{live}/privkey.pem", key))
    temporary = "".join(
        f"{kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(
        f"{user}daemon off;\npid {home}/pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n")
    return Proxy("nginx", port, chain, [command, "-e", "stderr", "-c", home / "nginx.conf"]).start()


def caddy(command, server):
    port, home = free_port(), folder("caddy")
    text = replaced(block("caddyfile"), ("127.0.0.1:8080", f"127.0.0.1:{server.port}"), (NAME, f"{NAME}:{port}"))
    # Its own authority in the place of one on the Internet.
    settings = "{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nstorage file_system " \
        f"{home}/caddy\n}}\n"
    (home / "Caddyfile").write_text(settings + text)
    proxy = Proxy(
        "caddy", port, home / "caddy/pki/authorities/local/root.crt",
        [command, "run", "--config", home / "Caddyfile", "--adapter", "caddyfile"])
    proxy.start()
    wait_until(lambda: is_healthy(proxy), 10, "Caddy does not hand on requests")
    return proxy


def is_healthy(proxy):
    try:
        return proxy.ask("GET", "/health/")[0] == 200
    except OSError:
        return False  # It has no certificate yet.
