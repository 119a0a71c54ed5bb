"""Sends requests through a proxy on several connections until its input ends. Prints how many had which status.

Half of them are calls that a proxy may not repeat unless it is set so (POST). A lost connection has the status 0."""

import collections
import http.client
import json
import ssl
import sys
import threading

address, host = sys.argv[1:]
context = ssl._create_unverified_context()
counts: collections.Counter = collections.Counter()
ended = threading.Event()
lock = threading.Lock()


class Connection(http.client.HTTPSConnection):
    def connect(self) -> None:
        self.sock = context.wrap_socket(self._create_connection((address, 443), 10), server_hostname=host)


def send() -> None:
    connection = Connection(host, timeout=30)
    while not ended.is_set():
        for method, path, body in (("GET", "/.well-known/jwks.json", None), ("POST", "/v1/session/refresh", "{}")):
            try:
                connection.request(method, path, body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 0
            with lock:
                counts[status] += 1


threads = [threading.Thread(target=send) for _ in range(4)]
for thread in threads:
    thread.start()
sys.stdin.read()
ended.set()
for thread in threads:
    thread.join()
print(json.dumps(counts))
