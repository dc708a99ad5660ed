"""The encoder's graph on ONNX Runtime: byte products, with weights at their offsets in the packaged file.

The graph and the probe are package data; `tests/embedding/encoder_graph.py` writes them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnxruntime

from app.errors import Unavailable


def read_verified(path: Path, sha256: str, remedy: str) -> bytes:
    """Return the bytes of a file after checking its hash.

    Raises Unavailable, naming the file and the remedy, when it is missing or altered.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"cannot read {path} ({error.strerror}); {remedy}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise Unavailable(f"{path} is altered (sha256 {found}, expected {sha256}); {remedy}")
    return content


DATA = Path(__file__).with_name("data")
GRAPH_SHA256 = "bc2f86dab987cec2e666bd606bbfee0d0ad3e4930596429b4f1a43d6cd7b2693"
PROBE_SHA256 = "d11e1a262a18d108edd658db6d98d1a5f32888a0b5966af1a70e3214e988738b"
PROBE_LENGTH, LARGEST, MAX_WEIGHT = 64, 255, 127
WEIGHTS_NAME = "model.onnx"
"""What the graph calls the packaged file."""


def open_session(weights: bytes) -> onnxruntime.InferenceSession:
    """Open the encoder with the packaged weights, which must be exactly the published ones.

    Its input is word piece ids, int64 of shape (1, pieces); its output is `vector`, float32 of shape
    (1, 384) and length 1. Raises Unavailable when the graph is missing or altered.
    """
    graph = _read_packaged("encoder.onnx", GRAPH_SHA256)
    options = _options()
    options.add_external_initializers_from_files_in_memory([WEIGHTS_NAME], [weights], [len(weights)])
    if multiplies_exactly():
        # the graph is written as it is to run: fusing the norms would make them ten times slower
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        return _session(graph, options)
    options.add_session_config_entry("session.x64quantprecision", "1")
    return _session(graph, options, disabled_optimizers=["SkipLayerNormFusion"])


def multiplies_exactly() -> bool:
    """Return whether products of bytes are exact on this processor.

    x86 processors without VNNI add pairs of products in 16 bits, which may overflow.
    """
    session = _session(_read_packaged("probe.onnx", PROBE_SHA256), _options())
    largest = np.full((1, PROBE_LENGTH), LARGEST, np.uint8)
    ((found,),) = session.run(["sum"], {"bytes": largest})[0]
    return bool(found == PROBE_LENGTH * LARGEST * MAX_WEIGHT)


def _read_packaged(name: str, sha256: str) -> bytes:
    remedy = "install it again: pip install --force-reinstall --no-deps trigraph"
    return read_verified(DATA / name, sha256, remedy)


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # a plan would be kept for every length ever seen; the arena stays small, for texts are read one by one
    options.enable_mem_pattern = False
    return options


def _session(
    model: bytes, options: onnxruntime.SessionOptions, disabled_optimizers: list[str] | None = None
) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled_optimizers
    )
