#!/usr/bin/env python3
"""Sources of a folder in batches that are compiled as one: the headers are read once for all files of a batch.

    batches.py --root ROOT --directory OUT --lines N [--slots N] --sources LIST

writes OUT/batch_00.cc, batch_01.cc and so on, each a few sources one behind the other (the last is empty, for what may
come), and prints how many there are. A file is touched only when its content changes. LIST names a source per line; N
lines make a batch of about the right size. With --slots there are exactly that many files: so a build that was
configured goes on when sources change, which may move a file from one batch to another.

Two sources share a batch only where neither mentions a name that the other keeps to itself (source_names.py), so each
means the same as alone. A batch is the same sources' text behind #line, so that the compiler warns of what is unused
in each, and errors and assertions name the real file.

Which batch a file goes to is drawn from its name: it ranks the batches by a hash of both names and takes the first
that has room and no clash. So a new file changes its own batch and hardly another."""

import argparse
import functools
import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from source_names import source_at  # noqa: E402

# Headers that take longer than most sources: who includes one, himself or by another header, shares a batch only with
# those who do too.
HEAVY = ("boost/", "rocksdb/", "simdjson", "pugixml")
# A batch may be that much larger than N lines before its files look for another.
TOLERANCE = 1.3


def hash_of(*words):
    return hashlib.sha256("\0".join(words).encode()).digest()


class File:
    """A source, and what it pulls in."""

    def __init__(self, root, path):
        self.path = root / path
        self.name = self.path.relative_to(root).as_posix()
        self.source = source_at(self.path)
        self.lines = self.path.read_text(encoding="utf-8").count("\n")
        self.headers = headers_of(root / "src", self.source)
        libraries = {library for each in (self.source, *map(source_at, self.headers)) for library in each.libraries}
        self.kind = (frozenset(heavy for heavy in HEAVY if any(library.startswith(heavy) for library in libraries)),
                     frozenset(self.source.directives), self.name if self.source.early_macros else "")

    def room_headers(self):
        """The headers beside it: others are in other namespaces, which see none of its names."""
        room = self.name.split("/")[:3 if self.name.startswith("src/services/") else 2]
        return {header for header in self.headers if f"{'/'.join(room)}/" in header.as_posix()}

    @functools.cached_property
    def namespaces(self):
        return set().union(self.source.namespaces, *(source_at(header).namespaces for header in self.headers))

    def clashes_with(self, other):
        """Whether they cannot be one, `other` behind this."""
        # A namespace that the other knows nothing of, and which hides one that it means: "testing", of GoogleTest.
        hidden = {name.rpartition("::")[2] for name in self.namespaces - other.namespaces}
        if hidden & other.source.mentioned:
            return True
        return self.source.clashes_with(other.source, other.mentions_of_headers(self), self.mentions_of_headers(other))

    def mentions_of_headers(self, other):
        """What the headers beside it mention that `other` does not include."""
        return set().union(*(source_at(header).mentioned for header in self.room_headers() - other.headers))


def headers_of(include_directory, source):
    """All headers of this project that a source includes, itself or by another."""
    found, waiting = set(), list(source.includes)
    while waiting:
        path = include_directory / waiting.pop()
        if path not in found and path.exists():  # what is generated is not there yet
            found.add(path)
            waiting.extend(source_at(path).includes)
    return found


def may_share(one, other):
    first, second = sorted((one, other), key=lambda file: file.name)
    return one.kind == other.kind and not first.clashes_with(second)


def batches_of(files, lines):
    """Lists of files that may share a batch, those of a kind together."""
    kinds = {}
    for file in files:
        kinds.setdefault(file.kind, []).append(file)
    return [batch for alike in kinds.values() for batch in batches_of_a_kind(alike, lines)]


def batches_of_a_kind(files, lines):
    """The first `count` batches can be drawn; what fits nowhere opens others behind them."""
    count = max(1, round(sum(file.lines for file in files) / lines))
    batches = [[] for _ in range(count)]
    for file in sorted(files, key=lambda file: hash_of(file.name)):
        drawn = sorted(range(count), key=lambda index: hash_of(file.name, str(index)))
        for index in (*drawn, *range(count, len(batches))):
            batch = batches[index]
            room = lines * TOLERANCE - sum(each.lines for each in batch)
            if (not batch or room >= file.lines) and all(may_share(file, each) for each in batch):
                batch.append(file)
                break
        else:
            batches.append([file])
    return [sorted(batch, key=lambda file: file.name) for batch in batches if batch]


def text_of(batch):
    return "".join(f'#line 1 "{file.name}"\n{file.path.read_text(encoding="utf-8").rstrip()}\n\n' for file in batch)


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--directory", type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--slots", type=int)
    options = parser.parse_args(arguments)

    names = options.sources.read_text(encoding="utf-8").split("\n")
    batches = batches_of([File(options.root, name) for name in names if name], options.lines)
    if options.slots and len(batches) > options.slots:
        print(f"{options.directory} needs {len(batches)} batches and has room for {options.slots}: run cmake again",
              file=sys.stderr)
        return 1
    batches += [[]] * ((options.slots or len(batches) + 1) - len(batches))
    options.directory.mkdir(parents=True, exist_ok=True)
    for left_over in sorted(options.directory.glob("batch_*.cc"))[len(batches):]:
        left_over.unlink()
    for index, batch in enumerate(batches):
        write_if_changed(options.directory / f"batch_{index:02}.cc", text_of(batch))
    print(len(batches))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
