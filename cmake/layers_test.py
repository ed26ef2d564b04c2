#!/usr/bin/env python3
"""Arrows point down: what each folder of src/ may include, and that no file includes more (docs/architecture.md).

CMake links what an arrow needs, but an arrow that needs nothing linked (a template, a structure, a constant) would pass
there. Here every #include is read."""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)

# A room is a folder of src/; of lang/ and services/, each folder in it. A room includes itself and these:
SERVICE = {"base", "store", "lang/alarms", "lang/dynamodb", "lang/fhir", "lang/inputs", "lang/insights", "lang/jsonata",
           "lang/jsonpath", "lang/logs", "lang/metrics", "lang/partiql", "lang/patterns", "lang/policies",
           "lang/schedules", "lang/select", "lang/serverless", "lang/states", "lang/templates", "crypto", "wire", "engine"}
ROOMS = {
    "base": set(),
    "net": {"base"},
    "store": {"base"},
    "lang/alarms": {"base"},
    "lang/dynamodb": {"base"},
    "lang/fhir": {"base"},
    "lang/inputs": {"base"},
    "lang/insights": {"base"},
    "lang/jsonata": {"base"},
    "lang/jsonpath": {"base"},
    "lang/logs": {"base"},
    "lang/metrics": {"base"},
    "lang/partiql": {"base", "lang/dynamodb"},
    "lang/patterns": {"base"},
    "lang/policies": {"base"},
    "lang/schedules": {"base"},
    "lang/select": {"base"},
    "lang/states": {"base", "crypto", "lang/jsonata", "lang/jsonpath"},
    "lang/serverless": {"base", "crypto"},
    "lang/templates": {"base", "lang/serverless"},
    "crypto": {"base"},
    "wire": {"base", "net", "store", "lang/dynamodb", "crypto"},
    "engine": {"base", "net", "store", "lang/patterns", "crypto", "wire"},
    "rights": {"base", "lang/dynamodb", "lang/partiql", "lang/policies", "store", "wire", "services/*"},
    "main": {"base", "net", "crypto", "store", "wire", "engine", "services/*", "rights"},
    "services/*": SERVICE,
}
# Services know of the network what a message is and that somebody else sends it.
SERVICE_FILES = {"net/http.h", "net/http_client.h"}
# A service's tests may ask other services, and the world they stand in; what lies in services/sim is all tests.
SERVICE_TESTS = {"services", "services/*"}
SERVICE_TEST_FILES = {"net/loop.h"}
TESTS_ONLY = {"services", "services/sim"}

# Made by the build, in the room of that name.
GENERATED = ("wire/shapes/", "wire/testdata/", "engine/embedded_runtimes.h", "rights/tables.h")


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("lang", "services") and len(parts) > 2 else parts[0]


def matches(room, rooms):
    return room in rooms or (room.startswith("services/") and "services/*" in rooms)


def tests_among(includes):
    """The files that no source of the program reaches."""
    program, waiting = set(), [path for path in includes
                               if path.endswith(".cc") and not path.endswith(("_test.cc", "_fuzz.cc"))]
    while waiting:
        path = waiting.pop()
        if path not in program:
            program.add(path)
            waiting.extend(includes.get(path, ()))
    return set(includes) - program


def wrong_arrows(source):
    """What is wrong, a line each, with the files below the folder `source`."""
    includes = {path.relative_to(source).as_posix(): INCLUDE.findall(path.read_text())
                for path in sorted(source.rglob("*")) if path.suffix in (".h", ".cc")}
    tests = tests_among(includes)
    problems = []
    for path, targets in includes.items():
        room = room_of(path)
        allowed = ROOMS.get(room) or (ROOMS["services/*"] if room.startswith("services/") else None)
        if room in TESTS_ONLY:
            allowed = SERVICE
            if path not in tests:
                problems.append(f"{path}: the program includes what is there for tests")
        if allowed is None and room != "base":
            problems.append(f"{path}: {room} has no line in {pathlib.Path(__file__).name}")
            continue
        in_service = room == "services" or room.startswith("services/")
        for target in targets:
            to = room_of(target)
            if target not in includes and not target.startswith(GENERATED):
                problems.append(f"{path}: there is no {target}")
            elif to == room or matches(to, allowed or set()):
                continue
            elif in_service and target in SERVICE_FILES:
                continue
            elif in_service and path in tests and (matches(to, SERVICE_TESTS) or target in SERVICE_TEST_FILES):
                continue
            else:
                problems.append(f"{path}: {room} may not include {target}")
    return problems


class OurSources(unittest.TestCase):
    def test_every_arrow_points_down(self):
        self.assertEqual([], wrong_arrows(ROOT / "src"))


class Arrows(unittest.TestCase):
    def problems(self, **files):
        """Of a tree in which a file a__b_cc is a/b.cc."""
        with tempfile.TemporaryDirectory() as folder:
            for name, included in files.items():
                path = pathlib.Path(folder, re.sub("_(cc|h)$", r".\1", name.replace("__", "/")))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f'#include "{each}"\n' for each in included))
            return wrong_arrows(pathlib.Path(folder))

    def test_down_is_right(self):
        self.assertEqual([], self.problems(base__text_h=[], net__loop_cc=["base/text.h", "net/loop.h"], net__loop_h=[]))

    def test_up_is_wrong(self):
        self.assertEqual(["store/view.cc: store may not include wire/arn.h"],
                         self.problems(store__view_cc=["wire/arn.h"], wire__arn_h=[]))

    def test_beside_is_wrong(self):
        self.assertEqual(["services/sns/sending.cc: services/sns may not include services/sqs/queue.h"],
                         self.problems(services__sns__sending_cc=["services/sqs/queue.h"], services__sqs__queue_h=[]))

    def test_a_header_of_tests_may_reach_another_service(self):
        self.assertEqual([], self.problems(services__sns__sns_test_cc=["services/sns/testing.h"],
                                           services__sns__testing_h=["services/sqs/service.h", "services/test_world.h"],
                                           services__sqs__service_h=[], services__test_world_h=[]))

    def test_a_header_that_the_program_includes_too_may_not(self):
        self.assertEqual(["services/sns/world.h: services/sns may not include services/sqs/service.h"],
                         self.problems(services__sns__sns_test_cc=["services/sns/world.h"],
                                       services__sns__sns_cc=["services/sns/world.h"],
                                       services__sns__world_h=["services/sqs/service.h"], services__sqs__service_h=[]))

    def test_tests_of_a_lower_room_may_not_look_up(self):
        self.assertEqual(["engine/worker_test.cc: engine may not include services/sqs/queue.h"],
                         self.problems(engine__worker_test_cc=["services/sqs/queue.h"], services__sqs__queue_h=[]))

    def test_of_the_network_services_know_messages(self):
        self.assertEqual(["services/s3/cors.cc: services/s3 may not include net/loop.h"],
                         self.problems(services__s3__cors_cc=["net/http.h", "net/loop.h"], net__http_h=[], net__loop_h=[]))

    def test_the_program_may_not_include_the_world_of_tests(self):
        self.assertEqual(["main/server.cc: main may not include services/test_world.h",
                          "services/test_world.h: the program includes what is there for tests"],
                         self.problems(main__server_cc=["services/test_world.h"], services__test_world_h=[]))

    def test_a_new_room_needs_its_line(self):
        self.assertEqual(["console/page.cc: console has no line in layers_test.py"], self.problems(console__page_cc=[]))

    def test_a_file_that_is_not_there_is_told(self):
        self.assertEqual(["base/text.cc: there is no base/txt.h"], self.problems(base__text_cc=["base/txt.h"]))


if __name__ == "__main__":
    unittest.main()
