"""A Postgres of its own, by scripts/postgres, and what it says of itself. Shared by the commands here."""

import glob
import os
import subprocess

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres")


class Database:
    """The server in a folder, until it is stopped."""

    def __init__(self, folder):
        self.folder = folder
        ran = subprocess.run([SCRIPT, "start", folder], check=True, stdout=subprocess.PIPE, text=True)
        self.address = ran.stdout.strip()
        versions = glob.glob("/usr/lib/postgresql/*/bin/psql")
        self.psql = max(versions, key=lambda path: float(path.split("/")[4]), default="psql")

    def text(self, sql):
        """What a query gives, a line for each row."""
        args = [self.psql, "-At", "-F", " ", self.address, "-c", "SET search_path TO agon, public", "-c", sql]
        ran = subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True)
        return ran.stdout.removeprefix("SET\n").strip()

    def connections(self):
        """Connections of agon."""
        return int(self.text("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'agon%'"))

    def transactions(self):
        """Transactions since the server began; it counts with a delay of about a second."""
        return int(self.text("SELECT xact_commit FROM pg_stat_database WHERE datname = 'agon'"))

    def stop(self):
        subprocess.run([SCRIPT, "stop", self.folder], check=False)
