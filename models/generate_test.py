#!/usr/bin/env python3
"""What the generator refuses, how it names things, and that it leaves unchanged files alone."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from cpp import constant, snake  # noqa: E402
from cpp_source import source  # noqa: E402
from generate import main  # noqa: E402
from smithy import Model, ModelError  # noqa: E402

SERVICE = '@awsJson1_0\nservice S { version: "1" operations: [Op] }\n'


def model_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".smithy") as file:
        file.write(text)
        file.flush()
        return Model(file.name)


class Refusals(unittest.TestCase):
    def refused(self, text, message):
        with self.assertRaisesRegex(ModelError, message):
            model_of(text)

    def test_a_trait_outside_the_subset_is_refused_with_its_line(self):
        self.refused(SERVICE + "@paginated\noperation Op {}", r":3: the trait @paginated is not in the subset")

    def test_a_statement_outside_the_subset_is_refused(self):
        self.refused(SERVICE + "operation Op {}\nresource R {}", r":4: 'resource' is not in the subset")

    def test_a_member_of_an_unknown_shape_is_refused(self):
        self.refused(SERVICE + "operation Op { input := { A: Nowhere } }", r"OpInput\$A refers to Nowhere")

    def test_an_operation_that_is_not_defined_is_refused(self):
        self.refused(SERVICE, "S refers to Op, which is not defined")

    def test_a_shape_defined_twice_is_refused(self):
        self.refused(SERVICE + "operation Op {}\nstring A\nstring A", r":5: A is defined twice")

    def test_a_trait_without_its_argument_is_refused(self):
        self.refused(SERVICE + "operation Op {}\n@pattern\nstring A", "@pattern needs an argument")

    def test_two_services_are_refused(self):
        self.refused(SERVICE + "operation Op {}\nservice T { }", "exactly one service")

    def test_an_operation_refused_without_a_reason_is_refused_itself(self):
        self.refused(SERVICE + "@unsupported\noperation Op {}", r":4: Op is refused without a reason")

    def test_a_refused_operation_is_none_of_those_that_are_answered(self):
        model = model_of(SERVICE + '@unsupported(reason: "it is late")\noperation Op {}')
        self.assertEqual(model.operations(), [])
        self.assertEqual([operation.name for operation in model.refused_operations()], ["Op"])

    def test_text_that_is_no_model_is_refused(self):
        self.refused("service S ;", r":1: cannot read")


class Protocols(unittest.TestCase):
    def refused(self, text, message):
        with self.assertRaisesRegex(ModelError, message):
            source(model_of(text), "s")

    def test_a_blob_that_streams_is_the_payload(self):
        self.refused('@restXml\nservice S { version: "1" operations: [Op] }\n@streaming blob B\n'
                     '@http(method: "PUT", uri: "/")\noperation Op { input := { A: B } }', "is the @httpPayload")

    def test_events_are_refused_where_they_have_no_form(self):
        events = "@streaming union U { A: E }\nstructure E { B: String }\n"
        self.refused('@restXml\nservice S { version: "1" operations: [Op] }\n' + events +
                     '@http(method: "GET", uri: "/")\noperation Op { output := { Events: U } }',
                     "events of rest-xml have an @eventPayload")
        self.refused('@awsQuery\nservice S { version: "1" operations: [Op] }\n' + events +
                     "operation Op { output := { Events: U } }", "events are for the json")
        self.refused(SERVICE + "@streaming union U { A: E }\nstructure E { @eventPayload B: F }\nstructure F { C: String }\n"
                     "operation Op { output := { Events: U } }", "an @eventPayload is a blob")
        self.refused(SERVICE + events + "operation Op { input := { Events: U } }", "requests have no events")

    def test_documents_are_refused_in_cbor(self):
        self.refused("@awsCbor1_1\n" + SERVICE + "operation Op { input := { A: Document } }", "has no form in CBOR")

    def test_documents_are_refused_in_xml(self):
        self.refused('@awsQuery\nservice S { version: "1" operations: [Op] }\n'
                     "operation Op { input := { A: Document } }", "has no form in XML")

    def test_what_has_no_text_is_not_bound_to_headers(self):
        self.refused('@restJson1\nservice S { version: "1" operations: [Op] }\nstructure B { C: String }\n'
                     '@http(method: "GET", uri: "/")\noperation Op { input := { @httpHeader("x-a") A: B } }',
                     "A cannot be bound to header")

    def test_all_parameters_are_a_map_of_lists(self):
        self.refused('@restJson1\nservice S { version: "1" operations: [Op] }\nmap M { key: String value: String }\n'
                     '@http(method: "GET", uri: "/")\noperation Op { input := { @httpQueryParams A: M } }',
                     "takes a map of lists of strings")


class Tables(unittest.TestCase):
    def test_an_event_may_have_a_blob_as_its_payload(self):
        text = source(model_of('@restJson1\nservice S { version: "1" operations: [Op] }\n'
                               "structure E { @eventPayload B: Blob }\n@streaming union U { A: E }\n"
                               '@http(method: "GET", uri: "/")\noperation Op { output := { Events: U } }'), "s")
        self.assertIn(".event_stream = true", text)
        self.assertRegex(text, r'\.name = "B"[^\n]*shapes::Location::payload')

    def test_a_member_is_one_line(self):
        text = source(model_of(SERVICE + "operation Op { input := { @required @length(min: 1, max: 9) KeyName: String } }"), "s")
        self.assertIn('{.name = "KeyName", .shape = &shapes::kText, .required = 0x1, .offset = offsetof(OpInput, key_name), '
                      ".checked = true, .text_rule = &rule_0},", text)

    def test_protocols_cost_no_lines(self):
        text = SERVICE + "operation Op { input := { A: String } }"
        lines = [len(source(model_of(traits + text), "s").splitlines()) for traits in ("", "@awsCbor1_1\n@awsQuery\n")]
        self.assertLessEqual(lines[1] - lines[0], 2)  # which it speaks, and its version


class Names(unittest.TestCase):
    def test_members_become_snake_case(self):
        for name, expected in {"TableName": "table_name", "KMSKeyArn": "kms_key_arn", "eventID": "event_id",
                               "UUID": "uuid", "CodeSha256": "code_sha256", "SSESpecification": "sse_specification",
                               "S3Bucket": "s3_bucket", "namespace": "namespace_"}.items():
            self.assertEqual(snake(name), expected)

    def test_enum_values_become_constants(self):
        for name, expected in {"NEW_AND_OLD_IMAGES": "kNewAndOldImages", "PassThrough": "kPassThrough", "HASH": "kHash",
                               "x86_64": "kX86_64", "ReportBatchItemFailures": "kReportBatchItemFailures"}.items():
            self.assertEqual(constant(name), expected)


class Files(unittest.TestCase):
    def test_every_model_of_this_folder_can_be_generated(self):
        with tempfile.TemporaryDirectory() as directory:
            for model in pathlib.Path(__file__).parent.glob("*.smithy"):
                self.assertEqual(main([str(model), directory]), 0, model)

    def test_a_file_that_does_not_change_is_not_touched(self):
        with tempfile.TemporaryDirectory() as directory:
            model = pathlib.Path(directory) / "s.smithy"
            model.write_text(SERVICE + "operation Op {}")
            self.assertEqual(main([str(model), directory]), 0)
            header = pathlib.Path(directory) / "s.h"
            before = header.stat().st_mtime_ns
            self.assertEqual(main([str(model), directory]), 0)
            self.assertEqual(header.stat().st_mtime_ns, before)
            model.write_text(SERVICE + "operation Op { input := { A: String } }")
            self.assertEqual(main([str(model), directory]), 0)
            self.assertIn("std::optional<std::string> a;", header.read_text())


if __name__ == "__main__":
    unittest.main()
