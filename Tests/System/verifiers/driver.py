"""Calls the Python of docs/verify.md. Each input line is a call, each output line its result."""

import json
import sys
import threading

import snippet

#: The response to a fetch in a step of the cache test.
state: dict = {"now": 0, "answer": None, "fetches": 0}


def verify(call):
    return snippet.verify(call["token"], call["keys"], call["issuer"], call["audience"], call["now"])["sub"]


def fetch(call):
    keys, max_age = snippet.fetch_keys(call["service"])
    return {"keys": keys, "maxAge": max_age}


def verify_with_cache(call):
    cache = snippet.KeyCache(call["service"])
    keys = [cache.keys_for(call["token"]) for _ in range(2)][-1]
    return snippet.verify(call["token"], keys, call["issuer"], call["audience"])["sub"]


def run_cache(call):
    def fake_fetch(service):
        state["fetches"] += 1
        assert service == "the service"
        if state["answer"] is None:
            raise OSError("down")
        return state["answer"]["keys"], state["answer"]["maxAge"]

    cache = snippet.KeyCache("the service", fake_fetch, lambda: state["now"])
    seen = []
    for step in call["steps"]:
        state.update(step)
        state["fetches"] = 0
        try:
            keys = [key["kid"] for key in cache.keys_for(step["token"])]
        except ConnectionError:
            keys = None
        seen.append({"fetches": state["fetches"], "keys": keys})
    return seen


def stampede(call):
    """Counts the fetches for concurrent threads, and the threads that get keys."""
    arrived, fetches, served = set(), [], []
    seconds = 0
    changed = threading.Condition()

    def clock():
        # Each thread reads the clock before it may have to wait. The clock advances between two reads by more than the
        # minimum time between fetches, so a second fetch is allowed.
        nonlocal seconds
        with changed:
            arrived.add(threading.get_ident())
            changed.notify_all()
            seconds += 40
            return seconds

    def fake_fetch(service):
        with changed:
            fetches.append(service)
            changed.wait_for(lambda: len(arrived) == call["callers"], timeout=10)
        return call["keys"], 3600

    cache = snippet.KeyCache("the service", fake_fetch, clock)

    def ask():
        if cache.keys_for(call["token"]) == call["keys"]:
            served.append(threading.get_ident())

    threads = [threading.Thread(target=ask) for _ in range(call["callers"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"fetches": len(fetches), "served": len(served)}


CALLS = {
    "verify": verify, "fetch": fetch, "verifyWithCache": verify_with_cache, "cache": run_cache, "stampede": stampede,
}

for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = {"answer": CALLS[call["call"]](call)}
    except Exception as error:
        answer = {"refused": repr(error)}
    print(json.dumps(answer), flush=True)
