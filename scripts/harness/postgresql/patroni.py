"""A cluster of three PostgreSQL servers under Patroni, with etcd, as processes on loopback.

Any user of this machine can reach them, as superuser: it is for tests and trials."""

import json
import os
import pathlib
import secrets
import shutil
import sys
import tempfile

from harness.client import NO_ANSWER, Client
from harness.postgresql.cluster import ROLE
from harness.postgresql.ending import end_with, freeze, kill_all
from harness.postgresql.programs import PLAIN_ENVIRONMENT, as_owner, give_to_owner, programs, query
from harness.processes import Daemon, free_port
from harness.waiting import wait_until

# In seconds. A leader that can't be reached loses its place after `ttl`.
TIMES = {"ttl": 10, "loop_wait": 2, "retry_timeout": 3}
TRUST = ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]


class Node(Daemon):
    """Patroni and its PostgreSQL server. It takes connections when Patroni's own HTTP server does."""

    def __init__(self, name, folder, etcd_port):
        self.name, self.folder, self.data = name, folder / name, folder / name / "data"
        self.database_port = free_port()
        port = free_port()
        self._configuration = {
            "scope": "tidemark", "name": name,
            "restapi": {"listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}"},
            "etcd3": {"hosts": [f"127.0.0.1:{etcd_port}"]},
            "bootstrap": {
                "dcs": TIMES | {
                    "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": {"max_connections": 600}},
                },
                "initdb": [{"locale": "C"}, {"encoding": "UTF8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.database_port}", "connect_address": f"127.0.0.1:{self.database_port}",
                "data_dir": str(self.data), "bin_dir": str(programs()), "pgpass": str(self.folder / "pgpass"),
                "authentication": {"superuser": {"username": ROLE}, "replication": {"username": "replicator"}},
                "pg_hba": TRUST,
                "parameters": {
                    "unix_socket_directories": str(self.folder), "shared_buffers": "64MB",
                    "dynamic_shared_memory_type": "mmap",
                },
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
            },
            "watchdog": {"mode": "off"},
        }
        self._file = self.folder / "patroni.yml"
        command = [*as_owner(), shutil.which("patroni"), self._file]
        super().__init__(f"patroni-{name}", command, port, PLAIN_ENVIRONMENT, cwd="/")

    def start(self):
        self.folder.mkdir(exist_ok=True)
        # JSON is YAML, too.
        self._file.write_text(json.dumps(self._configuration))
        give_to_owner(self.folder)
        self._file.chmod(0o644)
        return super().start()

    def stop(self):
        """SIGTERM to Patroni, which shuts its server down. What is left is killed."""
        super().stop()
        self._kill_all()

    def kill(self):
        """kill -9 for Patroni and its server at once, as if the machine were gone."""
        self._kill_all()
        super().kill()

    def cut_off(self):
        """Has the server send nothing more to its standbys, until it is killed. It goes on otherwise."""
        if not freeze(self.data, "walsender"):
            raise RuntimeError(f"{self.name} sends to no standby. Wait until the cluster is healthy")

    def _kill_all(self):
        kill_all(self.data, (shutil.which("patroni"), self._file))

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def ask(self, path, method="GET", body=None):
        """The answer of Patroni's HTTP server; None if there is none."""
        client = Client(self.port, timeout=2)
        try:
            return client.request(method, path, body)
        except NO_ANSWER:
            return None
        finally:
            client.close()

    @property
    def is_leader(self):
        """Whether the server is the primary, and Patroni holds the leader's place."""
        answer = self.ask("/primary") if self.is_running else None
        return answer is not None and answer.status == 200


class Etcd(Daemon):
    """One etcd server."""

    def __init__(self, folder):
        self._data = folder / "etcd"
        port, peers = free_port(), free_port()
        client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
        super().__init__("etcd", [
            "etcd", "--name", "etcd", "--data-dir", self._data, "--log-level", "warn",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"etcd={peer}",
        ], port, PLAIN_ENVIRONMENT, cwd="/")

    def kill(self):
        """kill -9, also for one that another process started."""
        kill_all(self._data, ("--data-dir", self._data))
        super().kill()


class PatroniCluster:
    """Three nodes, of which one is the leader, one its synchronous standby, and one another standby.

    A commit is answered when the synchronous standby has it on its disk. `with` stops the cluster at the end; where
    this process is killed, the cluster is, too."""

    def __init__(self, folder=None):
        """`folder` is None, except to stop what another process has left there."""
        for program, package in (("patroni", "patroni"), ("etcd", "etcd-server")):
            if not shutil.which(program):
                raise RuntimeError(f"There is no {program} here. Install it: sudo apt-get install {package}")
        self.folder = pathlib.Path(folder or f"{tempfile.gettempdir()}/tidemark-patroni-{secrets.token_hex(4)}")
        self._etcd, self._is_synchronous = Etcd(self.folder), True
        self.nodes = [Node(f"node{number}", self.folder, self._etcd.port) for number in (1, 2, 3)]

    @property
    def url(self):
        """The connection string that names all nodes. libpq finds the one that takes writes."""
        return self.database_url("postgres")

    def database_url(self, database):
        """The same for another database."""
        hosts = ",".join(f"127.0.0.1:{node.database_port}" for node in self.nodes)
        return f"postgres://{ROLE}@{hosts}/{database}?target_session_attrs=read-write&connect_timeout=3"

    def start(self):
        """Returns itself when the cluster is healthy."""
        self.folder.mkdir()
        # The owner of PostgreSQL passes through it.
        self.folder.chmod(0o711)
        end_with(os.getpid(), self.folder, sys.executable, "-B", "-m", "harness.postgresql.patroni", self.folder)
        try:
            self._etcd.start()
            for node in self.nodes:
                node.start()
            self.wait_until_healthy(120)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        """Kills all, and deletes it."""
        for daemon in (*self.nodes, self._etcd):
            daemon.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def leader(self):
        """The node that takes writes; None if there is none now."""
        return next((node for node in self.nodes if node.is_leader), None)

    def kill_leader(self):
        """kill -9 for the leader's whole node. Returns the node; `restart` brings it back."""
        leader = self._required_leader()
        leader.kill()
        return leader

    def restart(self, node):
        """Starts a node that was killed or stopped. It follows the leader once `wait_until_healthy` returns."""
        node.start()

    def wait_until_led(self, seconds=60):
        """Waits for a leader, and returns it."""
        wait_until(self.leader, seconds, lambda: f"no leader: {self.states()}", pause=0.02)
        return self.leader()

    def wait_until_healthy(self, seconds=60):
        """Waits until each node runs, one of them leads, all others stream, and one of these is synchronous."""
        wait_until(self._is_healthy, seconds, lambda: f"the cluster does not heal: {self.states()}; {self._logs()}")

    def make_asynchronous(self):
        """Commits wait for no standby from then on, and a standby that lags is promoted, too."""
        answer = self._required_leader().ask(
            "/config", "PATCH", {"synchronous_mode": False, "maximum_lag_on_failover": 1 << 30})
        if answer is None or answer.status != 200:
            raise RuntimeError(f"Patroni did not take the settings: {answer}")
        self._is_synchronous = False
        wait_until(lambda: not self.query("SHOW synchronous_standby_names"), 30, "commits still wait for a standby")

    def query(self, sql, database="postgres"):
        """What `psql` prints for a statement that the leader runs. Raises if there is none, or the statement fails."""
        return query(self.database_url(database), sql)

    def states(self):
        """(role, state) of each node by its name, as a node that runs says."""
        for node in self.nodes:
            answer = node.ask("/cluster") if node.is_running else None
            if answer is not None and answer.status == 200:
                return {member["name"]: (member["role"], member["state"]) for member in answer.json["members"]}
        return {}

    def _required_leader(self):
        leader = self.leader()
        if not leader:
            raise RuntimeError(f"There is no leader now: {self.states()}. Wait with `wait_until_led`")
        return leader

    def _is_healthy(self):
        leader = self.leader()
        answer = leader and leader.ask("/patroni")
        if not answer:
            return False
        standbys = sorted((one["state"], one["sync_state"]) for one in answer.json.get("replication", []))
        roles = sorted(role for role, _ in self.states().values())
        if self._is_synchronous:
            expected = ["leader", "replica", "sync_standby"], [("streaming", "async"), ("streaming", "sync")]
        else:
            expected = ["leader", "replica", "replica"], [("streaming", "async")] * 2
        return (roles, standbys) == expected

    def _logs(self):
        return {node.name: node.log.read_text()[-1000:] for node in self.nodes if node.log.exists()}


if __name__ == "__main__":
    PatroniCluster(sys.argv[1]).stop()
