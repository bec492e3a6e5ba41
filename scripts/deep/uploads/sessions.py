"""URLSession's uploads, which go on by a 104: through a proxy that cuts connections, killed, and behind what drops a
104."""

import hashlib

from deep.clients.file_sender import path
from deep.uploads.exchange import Broken
from deep.uploads.tus import MEGABYTES, QUICK_MEGABYTES, require_few, require_there
from deep.uploads.url_session import URLSession
from harness.faults.cutting_proxy import CuttingProxy
from harness.sample import SampleProject, SampleServer

VERSIONS, OTHERS = (3, 5, 6, 8), (4, 9, None)
SMALL, FILES, LIVES = 1_000_000, 30, 200
MOST_UNFINISHED = 20
FORWARDED = {
    "X-Forwarded-For": "192.0.2.1", "X-Real-IP": "192.0.2.1", "Forwarded": "for=192.0.2.1", "Via": "1.1 proxy",
    "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a"}


def check(part, chance):
    size = (MEGABYTES if part == 1 else QUICK_MEGABYTES) * 1_000_000
    project = SampleProject(20, 1).renamed("sessions")
    settings = {"TIDEMARK_FILES_MAX_MB": 300}
    with SampleServer(project, settings) as server:
        sent = Scene(server, chance).of_all(size)
    with SampleServer(project, settings | {"TIDEMARK_FILES_INTERIM": "true"}) as server:
        Scene(server, chance).of_forwarded(len(FORWARDED))
    return f"{size // 1_000_000} MB by URLSession: {sent}"


class Scene:
    """A server, and a user whose app sends files."""

    def __init__(self, server, chance):
        self._server, self._chance, self._kills = server, chance, 0

    def of_all(self, size):
        cut = [f"{self.cut(version, size):.3f}" for version in VERSIONS]
        killed = [f"{self.killed(version, size):.3f}" for version in VERSIONS]
        if not self._kills:
            raise RuntimeError("no app was killed")
        for version in VERSIONS:
            self.killed_anywhere(version)
        for version in OTHERS:
            self.without_interim(version)
        self.of_forwarded(0)
        self.without_interim_by_http_1_0()
        tries = max(self.eaten(version) for version in VERSIONS)
        for eats in (False, True):
            self.many_at_once(eats)
        return (
            f"{', '.join(cut)} times the bytes where connections are cut, {', '.join(killed)} where the app is killed "
            f"too, {self._kills} times in all; {FILES} files that were cut once came by {tries} more PUTs where no 104 "
            "gets through")

    def file(self, size=SMALL):
        """New bytes, and where they go."""
        content = self._chance.randbytes(size)
        return content, path(self._server.project, f"files/{hashlib.sha256(content).hexdigest()}/")

    def session(self, port, version, headers=None):
        return URLSession(port, self._server.project.token, version, headers=headers)

    def proxy(self, **options):
        """One that cuts a connection every few MB."""
        return CuttingProxy(self._server.port, lambda: self._chance.randint(2_000_000, 6_000_000), **options)

    def require_sent(self, answer, content):
        if answer.status not in (201, 204):
            raise RuntimeError(f"an upload: {answer}")
        require_there(self._server, hashlib.sha256(content).hexdigest(), content)

    def cut(self, version, size):
        """By how much more was sent than the file has."""
        content, place = self.file(size)
        with self.proxy() as proxy:
            session = self.session(proxy.port, version)
            self.require_sent(session.upload(place, content), content)
        if not proxy.cuts or not session.interim:
            raise RuntimeError(f"version {version}: {proxy.cuts} cuts, {len(session.interim)} interim answers")
        self.require_interim(version, session.interim)
        return require_few(proxy.sent, size)

    def require_interim(self, version, answers):
        for answer in answers:
            told = answer.headers.get("upload-draft-interop-version")
            if (answer.status, told) != (104, str(version)):
                raise RuntimeError(f"version {version}: an interim answer {answer}")

    def killed(self, version, size):
        """The same where the app is killed while it adds bytes, and has forgotten all."""
        content, place = self.file(size)
        with self.proxy() as proxy:
            self.lives(proxy, version, content, place, lambda upload: not upload.was_adding)
        return require_few(proxy.sent, size)

    def killed_anywhere(self, version):
        """An app that is killed also before it has asked where to go on. It may send bytes again, and comes to an
        end."""
        content, place = self.file(20 * SMALL)
        with self.proxy() as proxy:
            self.lives(proxy, version, content, place, lambda upload: False)

    def lives(self, proxy, version, content, place, survives):
        """An app that is killed now and then, where it does not survive."""
        for _ in range(LIVES):
            try:
                answer = self.session(proxy.port, version).upload(
                    place, content, survives=lambda upload: survives(upload) or self._chance.random() < 0.6)
                return self.require_sent(answer, content)
            except Broken:
                self._kills += 1
        raise RuntimeError(f"version {version}: an app that was killed {LIVES} times has sent nothing")

    def without_interim(self, version):
        content, place = self.file()
        session = self.session(self._server.port, version)
        self.require_sent(session.upload(place, content, tries=1), content)
        if session.interim:
            raise RuntimeError(f"version {version}: {session.interim}")

    def of_forwarded(self, expected):
        """How many requests with a header of a proxy get a 104."""
        heard = 0
        for name, value in FORWARDED.items():
            content, place = self.file()
            session = self.session(self._server.port, 6, {name: value})
            self.require_sent(session.upload(place, content, tries=1), content)
            heard += len(session.interim)
        if heard != expected:
            raise RuntimeError(f"{heard} of {len(FORWARDED)} requests with a header of a proxy got a 104")

    def without_interim_by_http_1_0(self):
        content, place = self.file()
        session = self.session(self._server.port, 6)
        answer = session.ask("PUT", place, {
            "Upload-Draft-Interop-Version": "6", "Upload-Complete": "?1"}, content, protocol="HTTP/1.0")
        self.require_sent(answer, content)
        if session.interim:
            raise RuntimeError(f"HTTP/1.0: {session.interim}")

    def eaten(self, version):
        """Most PUTs that a file needs which was cut once, where no 104 gets through."""
        most = 0
        content, place = self.file()
        with CuttingProxy(self._server.port, eats_interim=True) as proxy:
            self.require_sent(self.session(proxy.port, version).upload(place, content, tries=1), content)
        for _ in range(FILES):
            content, place = self.file()
            if answer := self.cut_once(version, content, place):
                raise RuntimeError(f"an upload that was to be cut: {answer}")
            most = max(most, self.again(version, content, place))
        return most

    def many_at_once(self, eats):
        """All of these files are cut once before the first of them is sent again. Those above the most that may be
        unfinished are refused, and come through later."""
        files = [self.file() for _ in range(FILES)]
        for number, (content, place) in enumerate(files):
            answer = self.cut_once(6, content, place, eats)
            if answer and (answer.status != 429 or number < MOST_UNFINISHED):
                raise RuntimeError(f"an upload that was to be cut: {answer}")
        for content, place in files:
            self.again(6, content, place, eats)

    def cut_once(self, version, content, place, eats=True):
        half = [len(content) // 2]
        with CuttingProxy(self._server.port, lambda: half.pop() if half else 1 << 40, eats_interim=eats) as proxy:
            try:
                return self.session(proxy.port, version).upload(place, content, tries=1)
            except Broken:
                return None

    def again(self, version, content, place, eats=True):
        """How many PUTs it takes."""
        with CuttingProxy(self._server.port, eats_interim=eats) as proxy:
            session = self.session(proxy.port, version)
            self.require_sent(session.upload(place, content, tries=3), content)
        if eats and session.interim:
            raise RuntimeError(f"an interim answer got through: {session.interim}")
        return session.breaks + 1
