#!/usr/bin/env python3
"""Writes a safetensors file as other people do: tensors.py FILE NAME:DTYPE:SHAPE:NUMBERS..., as in
x:F32:2x3:1,2,3,4,5,6; a last argument {...} is the metadata. Nothing but the standard library."""
import json
import struct
import sys

CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U64": "Q", "U32": "I",
         "U16": "H", "U8": "B", "BOOL": "B", "F8_E4M3": "B"}


def pack(dtype, v):
    if dtype == "BF16":
        return struct.pack("<f", float(v))[2:]
    code = CODES[dtype]
    return struct.pack("<" + code, float(v) if code in "dfe" else int(v))


def main():
    header, data = {}, b""
    for text in sys.argv[2:]:
        if text.startswith("{"):
            header["__metadata__"] = json.loads(text)
            continue
        name, dtype, shape, numbers = text.split(":")
        block = b"".join(pack(dtype, v) for v in numbers.split(",") if v)
        header[name] = {"dtype": dtype, "shape": [int(n) for n in shape.split("x") if n],
                        "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    text = json.dumps(header).encode()
    with open(sys.argv[1], "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
