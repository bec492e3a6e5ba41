"""A user with a password, who logs in."""

from harness import tidemark

PASSWORD = "correct horse battery"


def add(project, name, *flags):
    tidemark.output("user", "add", name, *flags, "--password-stdin", database=project.database, input=PASSWORD + "\n")


class Account:
    """One user's session. Each step returns the status of its answer."""

    def __init__(self, server, name):
        self._server, self._name = server, name
        self.access = self.refresh_token = None

    def log_in(self, password=PASSWORD):
        return self._pair("token/", {"username": self._name, "password": password})

    def refresh(self):
        return self._pair("token/refresh/", {"refresh": self.refresh_token})

    def me(self):
        return self._server.get("/api/v1/auth/me/", self.access).status

    def _pair(self, path, body):
        answer = self._server.request("POST", "/api/v1/auth/" + path, body=body)
        if answer.status == 200:
            self.access, self.refresh_token = answer.json["access"], answer.json["refresh"]
        return answer.status
