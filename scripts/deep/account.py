"""A user with a password, who logs in."""

import http.client
import json
import subprocess

import tidemark
from workplace import ENVIRONMENT

PASSWORD = "correct horse battery"


def add(project, name, *flags):
    command = [
        str(tidemark.BINARY), "user", "add", name, *flags, "--password-stdin", "--database", str(project.database)]
    subprocess.run(command, input=PASSWORD + "\n", text=True, check=True, capture_output=True, env=ENVIRONMENT)


class Account:
    def __init__(self, server, name):
        self._server, self._name = server, name
        self.access = self.refresh_token = None

    def log_in(self, password=PASSWORD):
        return self._pair("token/", {"username": self._name, "password": password})

    def refresh(self):
        return self._pair("token/refresh/", {"refresh": self.refresh_token})

    def me(self):
        return request(self._server, "GET", "/api/v1/auth/me/", token=self.access)[0]

    def _pair(self, path, body):
        status, answer, _ = request(self._server, "POST", "/api/v1/auth/" + path, body)
        if status == 200:
            self.access, self.refresh_token = answer["access"], answer["refresh"]
        return status


def request(server, method, path, body=None, token=None, headers=None):
    """Status, document and headers of one answer, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    sent = {"Content-Type": "application/json"} | (headers or {})
    if token:
        sent["Authorization"] = f"Bearer {token}"
    try:
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None, answer.headers
    finally:
        connection.close()
