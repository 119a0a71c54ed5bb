"""Waits for what a running service does on its own."""

import time


def wait_until(condition, seconds: float = 30, pause: float = 0.05):
    """Calls the condition until its result is true, and returns the result."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause)
    return answer
