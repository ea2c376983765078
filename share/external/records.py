"""safetensors records on streams: what dsgd-worker asks a program, and what the program answers.

A record is eight bytes of length, a JSON header of that length, and the numbers; dsgd-files(5) says more.
"""

import json
import struct

import numpy

DTYPES = {"U8": "u1", "I32": "<i4", "I64": "<i8", "F32": "<f4", "F64": "<f8"}
NAMES = {numpy.dtype(text): name for name, text in DTYPES.items()}


def read(stream):
    """The next record: its tensors by name, and its metadata; None, None at the end of the stream."""
    length = stream.read(8)
    if len(length) < 8:
        return None, None
    header = json.loads(stream.read(struct.unpack("<Q", length)[0]))
    meta = header.pop("__metadata__", {})
    data = stream.read(max((t["data_offsets"][1] for t in header.values()), default=0))
    tensors = {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        tensors[name] = numpy.frombuffer(data[begin:end], DTYPES[t["dtype"]]).reshape(t["shape"])
    return tensors, meta


def write(stream, tensors, meta):
    """Writes a record: arrays by name, and metadata, whose values become text."""
    header, end = {"__metadata__": {key: str(value) for key, value in meta.items()}}, 0
    for name, array in tensors.items():
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": NAMES[array.dtype], "shape": array.shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    stream.write(struct.pack("<Q", len(text)) + text)
    for array in tensors.values():
        stream.write(array.tobytes())
    stream.flush()
