"""Devices that do everything right, while their service is killed, its clock jumps, and a proxy lies: none is signed out.

Run as a program, it prints what happened, and fails if the service broke a promise. Service/Tests/README.md explains it."""

import argparse
import contextlib
import http.client
import itertools
import pathlib
import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict, deque

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Tests" / "ForeignJudge"))
from device import Device, new_attempt  # noqa: E402
from keys import unverified_claims  # noqa: E402
from lying_proxy import LyingProxy  # noqa: E402
from operator_api import Management  # noqa: E402
from person import pkce  # noqa: E402
from service import running  # noqa: E402
from shifted_clock import ShiftedService  # noqa: E402
from transport import Answer, Transport  # noqa: E402

#: All devices have one address, and ask for many codes.
LIMITS = {
    "resend_delay": 0, "sends_per_hour": 1_000_000, "sends_per_day": 1_000_000, "app_sends_per_day": 1_000_000,
    "failed_checks_per_day": 1_000_000,
    **{name: {"limit": 1_000_000, "window": 60} for name in (
        "starts", "failed_checks", "starts_per_address", "failures_per_address", "invalid_calls_per_address")},
}
#: The most that the clock of the service is wrong, in seconds.
SHIFT = 300
#: The kinds of broken promises.
KINDS = ("signed out", "lost", "ghost", "unexpected")
#: Seconds for which a device waits for a code, and repeats a request.
PATIENCE = 60


class Ended(Exception):
    """The run has ended while a device waited."""


class Story:
    """What happened to all devices."""

    def __init__(self):
        self.counts: Counter[str] = Counter()
        #: Promises that the service broke: the kind, and how it came to it.
        self.broken: list[tuple[str, str]] = []
        self.began = time.monotonic()
        self.shift = 0.0
        self.shifts = 0
        self.ended = threading.Event()
        self._lock = threading.Lock()

    def count(self, name: str) -> None:
        with self._lock:
            self.counts[name] += 1

    def breaks(self, kind: str, device: "Owner", answer: object = "") -> None:
        with self._lock:
            lines = [f"{device.address}: {answer}", *device.logins, *device.history]
            self.broken.append((kind, "\n    ".join(lines)))

    def now(self) -> str:
        return f"{time.monotonic() - self.began:.2f} s, clock {self.shift:+.0f} s"

    def of_kind(self, kind: str) -> list[str]:
        return [text for broken, text in self.broken if broken == kind]


class Post:
    """Reads the messages of the service at once, because a service that is killed loses its mailbox."""

    def __init__(self, service: ShiftedService):
        self._transport = Transport(service.url, timeout=10)
        self._codes: dict[str, list[str]] = defaultdict(list)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        while not self._end.wait(0.1):
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = self._transport.send("GET", "/dev/mailbox")
                for mail in reversed(answer.json) if answer.status == 200 else []:
                    codes = self._codes[mail["to"]]
                    if "code" in mail and mail["code"] not in codes:
                        codes.append(mail["code"])

    def newest(self, address: str) -> str | None:
        codes = self._codes[address]
        return codes[-1] if codes else None

    def __enter__(self) -> "Post":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._end.set()
        self._thread.join(20)


class Owner:
    """A user with one device that follows the protocol: what it must not lose is stored before it sends anything."""

    def __init__(
            self, number: int, between: LyingProxy, post: Post, story: Story, seed: int, has_attempts: bool):
        self.between, self.device = between, Device(Transport(between.url, timeout=20))
        self.address = f"chaos-{number}@example.com"
        self.chance = random.Random(f"{seed} {number}")
        self.post, self.story, self.has_attempts = post, story, has_attempts
        if not has_attempts:
            self.device.attempts = None
        self.token: str | None = None
        self.access_token = ""
        self.user: str | None = None
        #: Sessions that may exist although no device has them: a response was lost that cannot be repeated.
        self.abandoned = 0
        self.entered: set[str] = set()
        #: The last calls, and the last ones that begin or end a session.
        self.history: deque[str] = deque(maxlen=24)
        self.logins: deque[str] = deque(maxlen=24)

    @property
    def session(self) -> str:
        return unverified_claims(self.access_token)["sid"]

    def answer(self, name: str, call, may_be_limited: bool = False) -> tuple[Answer, bool]:
        """Repeats a call, each time with a new proof, until it has a response of the service. Returns it, and whether an
        earlier request may have had its effect. A limit is such a response, if the call may be limited."""
        is_repeated = False
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer: Answer = call()
                outcome = str(answer)
            except (OSError, http.client.HTTPException) as error:
                answer, outcome = None, type(error).__name__
            calls = self.history if name in ("refresh", "list") else self.logins
            calls.append(f"{self.story.now()}: {name} {outcome}")
            if answer is not None and answer.status == 500:
                self.story.breaks("unexpected", self, f"{name} {answer}")
            is_limited = answer is not None and answer.status == 429
            if is_limited and not may_be_limited:
                self.story.breaks("unexpected", self, f"{name} {answer}")
            is_final = answer is not None and answer.status < 500 and answer.code not in (
                "use_dpop_nonce", "invalid_dpop_proof")
            if is_final:
                self.story.count(name)
                return answer, is_repeated
            is_repeated = True
            if self.story.ended.is_set() and time.monotonic() > deadline:
                raise Ended
            if time.monotonic() > deadline:
                self.story.breaks("unexpected", self, f"{name} had no response for {PATIENCE} seconds: {outcome}")
                deadline = time.monotonic() + PATIENCE
            time.sleep(self.chance.uniform(0.02, 0.3))

    # What a device does

    def step(self) -> None:
        if self.token is None:
            self.sign_in()
            return
        if self.chance.random() < 0.05:
            # The process starts again: it has only what is stored.
            self.device.nonce, self.access_token = None, ""
        choice = self.chance.random()
        if choice < 0.03:
            self.sign_out()
        elif choice < 0.7 or not self.access_token:
            self.refresh()
        else:
            self.list()

    def refresh(self) -> None:
        answer, _ = self.answer("refresh", lambda: self.device.refresh(self.token))
        if answer.status == 200:
            self.keep(answer)
            return
        self.story.breaks("signed out" if answer.status == 401 else "unexpected", self, f"refresh {answer}")
        if answer.status == 401:
            self.token = None

    def keep(self, answer: Answer) -> None:
        self.token = answer.headers["X-Refresh-Token"]
        self.access_token = answer.json["access_token"]
        user = unverified_claims(self.access_token)["sub"]
        if self.user not in (None, user):
            self.story.breaks("lost", self, "the user was created again")
        self.user = user

    def list(self) -> set[str] | None:
        """Returns the ids of the user's sessions."""
        is_fresh, shifts = False, self.story.shifts
        for _ in range(5):
            answer, _ = self.answer("list", lambda: self.device.sessions(self.access_token))
            if answer.status == 200:
                found = {session["id"] for session in answer.json["sessions"]}
                if self.session not in found:
                    self.story.breaks("lost", self, "the list does not have the session")
                return found
            if answer.status != 401:
                self.story.breaks("unexpected", self, f"list {answer}")
                return None
            if is_fresh and shifts == self.story.shifts:
                self.story.breaks("lost", self, f"a new access token is denied: list {answer}")
                return None
            is_fresh, shifts = True, self.story.shifts
            self.refresh()
            if self.token is None:
                return None
        return None

    def sign_out(self) -> None:
        answer, _ = self.answer("revoke", lambda: self.device.revoke(self.token))
        # 401: a request whose response was lost, or the first one of two, has ended the session.
        if answer.status not in (204, 401):
            self.story.breaks("unexpected", self, f"revoke {answer}")
        self.token, self.access_token = None, ""

    def sign_in(self) -> None:
        while self.token is None:
            verifier, challenge = pkce() if self.has_attempts else (None, None)
            started, _ = self.answer("start", lambda: self.device.start(self.address, code_challenge=challenge))
            if started.status != 204:
                self.story.breaks("unexpected", self, f"start {started}")
                return
            shifts = self.story.shifts
            token = self.prove(started.headers["X-Verification-Token"], shifts)
            if token:
                self.finalize(token, verifier, shifts)

    def prove(self, verification: str, shifts: int) -> str | None:
        """Enters codes until one is right. `None`: the login must begin again."""
        for _ in range(6):
            code = self.code()
            if code is None:
                resent, _ = self.answer("resend", lambda: self.device.resend(verification), may_be_limited=True)
                if resent.status == 429:
                    # Each message whose response was lost counts, and a clock that was set back is before the last one.
                    self.story.count("login_begun_again_after_limit")
                    return None
                if resent.status != 204:
                    return self.begin_again(f"resend {resent}", shifts)
                continue
            self.entered.add(code)
            checked, _ = self.answer("check", lambda: self.device.check(verification, code))
            if checked.status == 200:
                return checked.json["challenge_token"]
            if checked.code == "invalid_verification_token":
                # Without a code challenge, nothing repeats the response that was lost, or that to the first one of two.
                if not self.has_attempts:
                    self.story.count("login_lost_without_code_challenge")
                    return None
                return self.begin_again(f"check {checked}", shifts)
            if checked.code != "bad_check_code":
                self.story.breaks("unexpected", self, f"check {checked}")
                return None
        return None

    def code(self) -> str | None:
        """Returns a code that was not entered yet. `None`: none has come for two seconds."""
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            code = self.post.newest(self.address)
            if code and code not in self.entered:
                return code
            time.sleep(0.05)
        return None

    def finalize(self, token: str, verifier: str | None, shifts: int) -> None:
        attempt = new_attempt() if self.has_attempts else None
        answer, is_repeated = self.answer("finalize", lambda: self.device.finalize(token, verifier, attempt))
        if answer.status == 200:
            self.keep(answer)
            return
        # If the response to an earlier request was lost, that request may have started a session. With an attempt id this
        # call would have found it, unless that request was late and the clock was set back before it came.
        is_late = any(token.encode() in body for body in self.between.late_bodies)
        self.abandoned += is_repeated and (is_late or not self.has_attempts)
        if answer.code == "token_reused" and is_repeated and not self.has_attempts:
            self.story.count("login_lost_without_attempt")
        else:
            self.begin_again(f"finalize {answer}", shifts)

    def begin_again(self, reason: str, shifts: int) -> None:
        """A login has ended too early. It may, if the clock has jumped meanwhile: codes and challenges expire."""
        if shifts == self.story.shifts:
            self.story.breaks("unexpected", self, reason)
        self.story.count("login_expired_by_clock")

    # The whole run

    def run(self, pause: float) -> None:
        try:
            while not self.story.ended.wait(self.chance.uniform(0, 2 * pause)):
                self.step()
        except Ended:
            pass
        except Exception as error:  # noqa: BLE001
            self.story.breaks("unexpected", self, repr(error))

    def check(self) -> None:
        """Everything is right again. All that was confirmed must be true."""
        try:
            if self.token is None:
                self.sign_in()
            self.refresh()
            sessions = self.list() or set()
            ghosts = len(sessions - {self.session})
            for _ in range(min(ghosts, self.abandoned)):
                self.story.count("abandoned_sessions")
            for _ in range(ghosts - self.abandoned):
                self.story.breaks("ghost", self, f"{len(sessions)} sessions")
        except Exception as error:  # noqa: BLE001
            self.story.breaks("unexpected", self, repr(error))


def in_parallel(owners: list[Owner], work) -> None:
    threads = [threading.Thread(target=work, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)


def disturb(service: ShiftedService, story: Story, chance: random.Random, until: float, pause: float) -> None:
    """Sets the clock of the service and kills it, in turn."""
    for number in itertools.count():
        time.sleep(chance.uniform(0.4, 1.6) * pause)
        if time.monotonic() > until:
            return
        if number % 2 == 0:
            story.shift = chance.choice([-SHIFT, SHIFT, 0, chance.uniform(-SHIFT, SHIFT)])
            # First, so that no device compares it after it has seen the new time.
            story.shifts += 1
            service.set_clock(story.shift)
            story.count("clock_jumps")
        else:
            service.kill()
            time.sleep(chance.uniform(0, 0.5))
            service.start()
            story.count("kills")


def chaos(
        directory: pathlib.Path, seconds: float, devices: int, has_attempts: bool, seed: int, pause: float = 1,
        disturbance: float = 2) -> Story:
    """Runs devices for this time. `pause` is the mean time between two steps of a device, and `disturbance` that between two
    kills or jumps of the clock, all in seconds."""
    service, story = ShiftedService(directory), Story()
    between = LyingProxy(service.port, random.Random(f"{seed} proxy"))
    service.flags += ["--public-url", between.url]
    with running(service), Post(service) as post:
        Management(service).expect(200, "PUT", "/config/limits", LIMITS)
        owners = [Owner(number, between, post, story, seed, has_attempts) for number in range(devices)]
        until = time.monotonic() + seconds
        chance = random.Random(f"{seed} disturbance")
        upset = threading.Thread(target=disturb, args=(service, story, chance, until, disturbance))
        upset.start()
        timer = threading.Timer(seconds, story.ended.set)
        timer.start()
        in_parallel(owners, lambda owner: owner.run(pause))
        upset.join()
        if service.process.poll() is not None:
            service.start()
        story.shift = 0
        story.shifts += 1
        service.set_clock(0)
        between.settle()
        in_parallel(owners, Owner.check)
        log = service.log()
        reuses = service.sql("SELECT count(*) FROM events WHERE name = 'session.refresh_token_reused'")
        story.counts["sessions_ended_for_reuse"] = reuses[0][0]
    between.close()
    story.counts.update({f"proxy_{fate}": count for fate, count in between.counts.items()})
    # A token ahead of its session shows that an answered rotation is lost. The session recovers, so no device notices it.
    for line in log.splitlines():
        if "were newer than their sessions" in line or "Fatal error" in line:
            story.broken.append(("lost", line))
    return story


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--pause", type=float, default=4, help="mean seconds between two steps of a device")
    parser.add_argument("--without-attempts", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        story = chaos(
            pathlib.Path(folder), options.seconds, options.devices, not options.without_attempts, options.seed,
            options.pause)
    for name, count in sorted(story.counts.items()):
        print(f"{name:36} {count}")
    for kind in KINDS:
        print(f"{kind:36} {len(story.of_kind(kind))}")
    for kind in KINDS:
        for text in story.of_kind(kind)[:10]:
            print(f"{kind}: {text}")
    return 1 if story.broken else 0


if __name__ == "__main__":
    sys.exit(main())
