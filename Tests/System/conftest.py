import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ForeignJudge"))
from service import Service  # noqa: E402


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path)
    service.start()
    yield service
    if service.process.poll() is None:
        service.kill()
