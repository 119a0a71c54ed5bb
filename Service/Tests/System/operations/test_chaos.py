"""Tests that no user is signed out, and nothing that was answered is lost, when all goes wrong at once."""

import pytest

from chaos import KINDS, chaos
from shifted_clock import needs_shift


@needs_shift
@pytest.mark.parametrize("has_attempts", [True, False], ids=["with_attempts", "without_attempts"])
def test_devices_stay_signed_in_while_all_goes_wrong(tmp_path, has_attempts):
    story = chaos(tmp_path, seconds=5, devices=12, has_attempts=has_attempts, seed=4, pause=0.3, disturbance=0.8)
    print(dict(story.counts))
    assert {kind: story.of_kind(kind) for kind in KINDS} == {kind: [] for kind in KINDS}
    assert story.counts["kills"] and story.counts["clock_jumps"] and story.counts["refresh"]
