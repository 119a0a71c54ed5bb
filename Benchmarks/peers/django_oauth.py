#!/usr/bin/env python3
"""Compares the service with Django OAuth Toolkit on SQLite, from PyPI. It has no DPoP, so it needs `--unbound`.

Usage: django_oauth.py --unbound [--benchmark FILE] [--folder FOLDER] [--sessions 1]
                       [arguments of `service-benchmark run`]

Installs the toolkit and gunicorn in .build/peers, makes a Django project with a new database, starts it on the
loopback, signs devices in, and runs the benchmark of the service. That one measures both in the same rounds. Needs
taskset and the Python of scripts/bootstrap.
"""

import os
import pathlib
import re
import secrets
import subprocess
import urllib.parse
import urllib.request

from peer import REDIRECT, Peer, compare, environment, no_redirect

REQUIREMENTS = ["django-oauth-toolkit==3.4.1", "Django==5.2.19", "gunicorn==27.0.1"]

#: Follows the settings of a new project. Connections to the database stay open, and the log has errors only.
SETTINGS = """
DEBUG = False
ALLOWED_HOSTS = ["localhost"]
INSTALLED_APPS.append("oauth2_provider")
DATABASES["default"]["CONN_MAX_AGE"] = None
OAUTH2_PROVIDER = {
    "SCOPES": {"bench": "bench"}, "ACCESS_TOKEN_EXPIRE_SECONDS": 900, "REFRESH_TOKEN_EXPIRE_SECONDS": 1209600}
LOGGING = {
    "version": 1, "disable_existing_loggers": False, "handlers": {"all": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["all"], "level": "ERROR"}}
"""

URLS = """
from django.urls import include
urlpatterns.append(path("o/", include("oauth2_provider.urls")))
"""


class DjangoOAuth(Peer):
    name = "Django OAuth Toolkit"
    token_path = "/o/token/"
    form = {"client_id": "bench"}

    def start(self) -> None:
        programs, password = environment("django-oauth", *REQUIREMENTS), secrets.token_urlsafe(24)
        subprocess.run([programs / "django-admin", "startproject", "bench", self.folder], check=True)
        for file, text in {"settings.py": SETTINGS, "urls.py": URLS}.items():
            path = self.folder / "bench" / file
            path.write_text(path.read_text() + text)
        for arguments in [
                ["migrate", "--verbosity", "0"],
                ["createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.com", "--verbosity", "0"],
                ["createapplication", "public", "authorization-code", "--client-id", "bench", "--name", "bench",
                 "--redirect-uris", REDIRECT, "--skip-authorization"]]:
            subprocess.run(
                [programs / "python", "manage.py", *arguments], cwd=self.folder, check=True,
                env={**os.environ, "DJANGO_SUPERUSER_PASSWORD": password}, stdout=subprocess.DEVNULL)
        # One thread, so that no two requests wait for the lock of SQLite: with 16 threads, most of them get 500. The
        # default kind of worker would close a connection after each response.
        self.run([
            programs / "gunicorn", "bench.wsgi", "--bind", f"127.0.0.1:{self.port}", "--workers", "1",
            "--worker-class", "gthread", "--threads", "1", "--keep-alive", "3600", "--log-level", "warning"])
        self.cookie = self.wait_for(lambda: self.log_in(password))

    @property
    def pid(self) -> int:
        """The worker. The first process only watches it."""
        first = super().pid
        return int(pathlib.Path(f"/proc/{first}/task/{first}/children").read_text().split()[0])

    def log_in(self, password: str) -> str:
        """Signs the user in on the page of Django, and returns the cookie of the session."""
        url = f"{self.url}/admin/login/"
        with urllib.request.urlopen(url) as page:
            cookie = page.headers["Set-Cookie"].split(";")[0]
            member = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.read().decode())[1]
        form = {"username": "ada", "password": password, "csrfmiddlewaretoken": member, "next": "/"}
        answer = no_redirect(urllib.request.Request(
            url, urllib.parse.urlencode(form).encode(), {"Cookie": cookie, "Referer": url}))
        cookies = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
        return next(value for value in cookies if value.startswith("sessionid="))

    def sign_in(self) -> tuple:
        return self.sign_in_with_code("/o/authorize/", "Bearer", self.cookie)


if __name__ == "__main__":
    compare(DjangoOAuth)
