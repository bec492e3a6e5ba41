"""The command `scripts/postgres`."""

import argparse
import sys

from harness.postgresql.cluster import Cluster
from harness.signals import end_on_signals


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/postgres", description="PostgreSQL servers for tests and trials, on a socket in a folder.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    start = commands.add_parser(
        "start", help="makes a cluster, starts it, and prints its connection string as the last line")
    start.add_argument("--folder", help="one that is empty or not there; else a new one for temporary files")
    start.add_argument("--fast", action="store_true", help="writes don't wait for the disk")
    start.add_argument(
        "--while", dest="during", type=int, metavar="PID",
        help="stop the cluster and its standby when this process has ended")
    start.set_defaults(run=run_start)
    standby = add(
        commands, "standby", run_standby,
        "makes a streaming standby in FOLDER-standby, and prints its connection string as the last line")
    standby.add_argument("--sync", action="store_true", help="each commit waits for the standby from then on")
    add(commands, "promote", run_promote,
        "makes the standby of FOLDER a primary, and prints its connection string as the last line")
    add(commands, "restart", run_restart, "shuts the server down as a crash does, and starts it; starts a killed one")
    add(commands, "kill", lambda options: Cluster(options.folder).kill(), "kill -9 for the server; its data stays")
    add(commands, "stop", lambda options: Cluster(options.folder).stop(), "stops server and standby, and deletes both")
    options = parser.parse_args()
    end_on_signals()
    try:
        options.run(options)
    except RuntimeError as failure:
        sys.exit(f"scripts/postgres: {failure}")
    except OSError as failure:
        sys.exit(
            f"scripts/postgres: {failure}. Name a folder that you may write, or run this as the user who started the "
            "cluster")
    except KeyboardInterrupt:
        sys.exit(1)


def add(commands, name, run, help):
    parser = commands.add_parser(name, help=help)
    parser.add_argument("--folder", required=True, help="the folder that `start` printed")
    parser.set_defaults(run=run)
    return parser


def run_start(options):
    cluster = Cluster(options.folder, options.during).start(options.fast)
    print(f"folder: {cluster.folder}\n{cluster.url}")


def run_standby(options):
    standby = Cluster(options.folder).make_standby(options.sync)
    print(f"folder: {standby.folder}\n{standby.url}")


def run_promote(options):
    standby = Cluster(options.folder).standby
    if not standby.is_made:
        raise RuntimeError(
            f"There is no standby in {standby.folder}. Make one: scripts/postgres standby --folder {options.folder}")
    standby.promote()
    print(standby.url)


def run_restart(options):
    cluster = Cluster(options.folder)
    cluster.restart()
    print(cluster.url)


if __name__ == "__main__":
    main()
