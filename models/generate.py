#!/usr/bin/env python3
"""Makes C++ of an API's shapes: generate.py MODEL.smithy OUTDIR writes OUTDIR/<service>.h and .cc.

A file is touched only when its content changes, so that nothing is compiled again for nothing.
"""

import pathlib
import sys

from cpp_header import header
from cpp_source import source
from smithy import Model, ModelError


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments):
    if len(arguments) != 2:
        print("usage: generate.py MODEL.smithy OUTDIR", file=sys.stderr)
        return 2
    model_path, directory = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    service = model_path.stem
    try:
        model = Model(str(model_path))
        files = {f"{service}.h": header(model, service), f"{service}.cc": source(model, service)}
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_if_changed(directory / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
