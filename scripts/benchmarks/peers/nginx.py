"""nginx with one static file, set up to be fast."""

import os
import shutil

from harness.processes import Daemon, free_port
from harness.temporary import TEMP

CONFIGURATION = """
daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/errors;{user}
events {{ worker_connections 4096; }}
http {{
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000; etag off;
  open_file_cache max=16; open_file_cache_valid 1h; server_tokens off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /page {{ alias {page}; types {{ }} default_type "{type}"; {headers} }}
  }}
}}
"""
SAME = ["Cache-Control", "Vary", "Tidemark-Head", "Content-Encoding"]


class Nginx(Daemon):
    def __init__(self, page, headers):
        """Serves the file at `url` with the server's own headers."""
        folder, port = TEMP / f"nginx-{page.name}", free_port()
        folder.mkdir(exist_ok=True)
        text = CONFIGURATION.format(
            folder=folder, port=port, page=page, type=headers["Content-Type"],
            headers=" ".join(f'add_header {name} "{headers[name]}";' for name in SAME if headers[name]),
            # Else the workers could not read the folder.
            user=" user root;" if os.getuid() == 0 else "")
        (folder / "nginx.conf").write_text(text)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        super().__init__("nginx", [program, "-p", folder, "-c", folder / "nginx.conf"], port)
        self.url = f"http://127.0.0.1:{port}/page"
