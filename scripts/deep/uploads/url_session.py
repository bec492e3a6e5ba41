"""A stand-in for Apple's URLSession, which makes of its own PUT an upload that goes on, if the server lets it.

iOS 17 speaks version 3 of the draft for resumable uploads, later ones 5, 6 and 8. Each version is what
https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/ says of it."""

from deep.uploads.exchange import Broken, Exchange


class URLSession:
    """Uploads of one app. What it knows of an upload is gone when it is killed."""

    def __init__(self, port, token, version=3, tls=None, host="a", headers=None):
        """`tls` is for `Exchange`. Without a version it is an old URLSession, which only sends."""
        self.version = version
        self._port, self._tls = port, tls
        self._headers = {"Host": host, "Authorization": f"Bearer {token}"} | (headers or {})
        # How many requests broke off, and the interim answers that came.
        self.breaks, self.interim = 0, []

    def upload(self, path, content, tries=1000, survives=lambda upload: True):
        """The final answer to the upload of these bytes. Raises `Broken` after so many tries, or where it does not
        survive a break."""
        upload = Upload(self, path, content)
        while True:
            try:
                return upload.advance()
            except Broken:
                self.breaks += 1
                tries -= 1
                if not tries or not survives(upload):
                    raise

    def ask(self, method, path, headers, body=None, on_interim=lambda answer: None, protocol="HTTP/1.1"):
        """The final answer to one request, on a connection of its own."""
        def interim(answer):
            self.interim.append(answer)
            on_interim(answer)

        with Exchange(self._port, self._tls) as exchange:
            return exchange.ask(method, path, self._headers | headers, body, interim, protocol)


class Upload:
    """One upload, as far as the app has got."""

    def __init__(self, session, path, content):
        self._session, self._path, self._content = session, path, content
        # Where it goes on, as the server has told.
        self.location = None
        # Whether the last request was to add bytes.
        self.was_adding = False
        # The header that says whether these are the last bytes, and its value for that.
        self._whole = ("Upload-Incomplete", "?0") if session.version == 3 else ("Upload-Complete", "?1")
        self._version = {"Upload-Draft-Interop-Version": str(session.version)} if session.version else {}

    def advance(self):
        """Sends the rest of the bytes. Raises `Broken`."""
        self.was_adding = False
        if not self.location:
            headers = self._version | (dict([self._whole]) if self._version else {})
            return self._session.ask("PUT", self._path, headers, self._content, self._hear)
        state = self._session.ask("HEAD", self.location, self._version)
        if state.status != 204:
            # There is no such upload any more.
            self.location = None
            raise Broken(f"HEAD: {state}")
        name, value = self._whole
        if state.headers[name.lower()] == value:
            return state
        return self._add(int(state.headers["upload-offset"]))

    def _add(self, offset):
        headers = self._version | dict([self._whole]) | {"Upload-Offset": str(offset)}
        if self._session.version >= 6:
            headers["Content-Type"] = "application/partial-upload"
        self.was_adding = True
        return self._session.ask("PATCH", self.location, headers, self._content[offset:])

    def _hear(self, answer):
        if answer.status == 104:
            self.location = answer.headers.get("location", self.location)
