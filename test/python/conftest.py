import sys

import numpy as np
import pytest


@pytest.fixture
def random():
    return np.random.default_rng(20)


sys.dont_write_bytecode = True
