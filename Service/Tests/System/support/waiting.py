"""Waits for what a running service does on its own."""

import time


def wait_until(condition, seconds: float = 30, pause: float = 0.05, otherwise=lambda: ""):
    """Calls the condition until its result is true, and returns the result. `otherwise` gives the end of the error's text."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"it did not happen in time {otherwise()}"
        time.sleep(pause)
    return answer
