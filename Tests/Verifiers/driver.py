"""Calls Examples/Python/session_verifier.py. Each input line is a call, each output line its result."""

import json
import sys
import threading

import session_verifier as module


def verifier_for(call):
    now = call["now"]
    body = json.dumps({"keys": call["keys"]}).encode()
    keys = module.KeyCache("https://keys.example", lambda service: (body, None), lambda: now)
    nonces = module.Nonces(bytes.fromhex(call["secret"]), call["resource"]) if "secret" in call else None
    return module.SessionVerifier(
        "https://keys.example", call["audience"], [call["resource"]] if call.get("resource") else [], call["issuer"],
        keys, None, nonces, lambda: now)


def verify(call):
    verifier = verifier_for(call)
    verifier.verify_token(call["token"])
    return verifier.verify("GET", "/", "Bearer " + call["token"], [])["sub"]


def requests(call):
    """Sends requests to one verifier and returns the result of each one: the user, or the reason and the response."""
    verifier = verifier_for(call)
    results = []
    for request in call["requests"]:
        try:
            verifier.now = lambda: request.get("now", call["now"])
            claims = verifier.verify(
                request["method"], request["target"], request["authorization"], request["proofs"])
            results.append({"user": claims["sub"]})
        except module.Rejected as error:
            results.append({"reason": error.reason, "status": error.status, "headers": error.headers})
    return results


def create(call):
    return module.SessionVerifier(call["service"], "app1234", call["resources"]).issuer


def fetch(call):
    body, max_age = module.fetch_keys(call["service"])
    return {"keys": sorted(module.read_key_set(body)), "maxAge": max_age}


def verify_with_cache(call):
    verifier = module.SessionVerifier(call["service"], call["audience"], issuer=call["issuer"])
    return [verifier.verify("GET", "/", "Bearer " + call["token"], [])["sub"] for _ in range(2)][-1]


def run_cache(call):
    state = {}

    def fake_fetch(service):
        state["fetches"] += 1
        if state["answer"] is None:
            raise OSError("down")
        return json.dumps({"keys": state["answer"]["keys"]}).encode(), state["answer"]["maxAge"]

    cache = module.KeyCache("https://keys.example", fake_fetch, lambda: state["now"])
    seen = []
    for step in call["steps"]:
        state.update(step, fetches=0)
        try:
            outcome = cache.key(step["kid"]).kid
        except module.Rejected as error:
            outcome = error.reason
        # The answer of a call does not wait for a fetch in the background. The next step does.
        running = cache.running
        if running:
            running.join()
        seen.append({"fetches": state["fetches"], "outcome": outcome})
    return seen


def stampede(call):
    """Counts the fetches for concurrent threads, and the threads that get the key."""
    begun, fetches, served = threading.Barrier(call["callers"] + 1), [], []

    def fake_fetch(service):
        fetches.append(service)
        begun.wait(10)
        return json.dumps({"keys": call["keys"]}).encode(), 3600

    cache = module.KeyCache("https://keys.example", fake_fetch, lambda: 0)

    def ask():
        begun.wait(10)
        served.append(cache.key(call["kid"]).kid)

    starter = threading.Thread(target=lambda: served.append(cache.key(call["kid"]).kid))
    threads = [threading.Thread(target=ask) for _ in range(call["callers"])]
    for thread in [starter, *threads]:
        thread.start()
    for thread in [starter, *threads]:
        thread.join()
    return {"fetches": len(fetches), "served": len(served)}


def hangs(call):
    """A fetch hangs and a later one succeeds. Then the first one answers with another key. Returns what a caller gets."""
    now, release, threads = [0], threading.Event(), []

    def fake_fetch(service):
        threads.append(threading.current_thread())
        if len(threads) > 1:
            return json.dumps({"keys": [call["new"]]}).encode(), 3600
        release.wait(10)
        return json.dumps({"keys": [call["old"]]}).encode(), 3600

    cache = module.KeyCache("https://keys.example", fake_fetch, lambda: now[0])
    with cache.lock:
        cache.fetch_if_allowed(0)
    now[0] = call["after"]
    found = cache.key(call["new"]["kid"]).kid
    release.set()
    threads[0].join(10)
    return {"fetches": len(threads), "kid": found, "later": cache.key(call["new"]["kid"]).kid}


def replays(call):
    """Reserves proofs in a memory of this capacity. Each one is its name, its end, its user and the time."""
    memory = module.ReplayMemory(call["capacity"])
    results = []
    for proof, end, user, now in call["proofs"]:
        try:
            results.append(memory.reserve(proof, end, user, now))
        except module.Unavailable as error:
            results.append(error.reason)
    return results


CALLS = {
    "verify": verify, "requests": requests, "create": create, "fetch": fetch, "verifyWithCache": verify_with_cache, "cache": run_cache,
    "stampede": stampede, "hangs": hangs, "replays": replays, "normalize": lambda call: [module.normalized(url) for url in call["urls"]],
}

for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = {"answer": CALLS[call["call"]](call)}
    except (module.Rejected, OSError, ValueError) as error:
        answer = {"refused": repr(error)}
    print(json.dumps(answer), flush=True)
