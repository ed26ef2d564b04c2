#!/usr/bin/env python3
"""Which sources may be compiled as one, and how batches are made of them."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from batches import main  # noqa: E402
from source_names import Source, source_at  # noqa: E402


def kept(text):
    return Source(text).kept


def alone(text):
    """What stands in a namespace without a name."""
    return "namespace a {\nnamespace {\n" + text + "\n}  // namespace\n}  // namespace a\n"


class Names(unittest.TestCase):
    def test_what_stands_in_a_namespace_without_a_name_is_kept(self):
        self.assertEqual({"pour", "Cup", "kSize", "kettles", "Lid", "empty"}, kept(alone("""
            [[nodiscard]] std::optional<std::vector<int>> pour(std::function<void(int)> into) { Cup other; return {}; }
            struct Cup : public a::Base<int> { int size(); struct Handle {}; };
            constexpr std::array<int, 2> kSize = {1, 2};
            std::map<std::string, int> kettles{{"a", 1}};
            enum class Lid : uint8_t { open, closed };
            template <class T> requires(sizeof(T) > 4) bool empty(const T& cup) { return cup.empty(); }
            """)))

    def test_the_enumerators_of_an_open_enumeration_are_too(self):
        self.assertEqual({"Lid", "open", "closed"}, kept(alone("enum Lid { open, closed = 3 };")))

    def test_what_others_can_call_is_not(self):
        self.assertEqual(set(), kept("namespace a {\nTask<int> pour(Cup& cup) { return 1; }\n}"))
        self.assertEqual(set(), kept(alone("Kettle::Kettle(int size) : size_(size), lid_{size} { fill(); }")))

    def test_constants_and_static_functions_are_kept_anywhere(self):
        self.assertEqual({"kSize", "fill"}, kept("namespace a {\nconst int kSize = 1;\nstatic void fill() {}\n}"))

    def test_an_operator_is(self):
        self.assertEqual({"operator=="}, kept(alone("bool operator==(const Cup& a, const Cup& b) { return true; }")))

    def test_a_macro_is(self):
        self.assertEqual({"CUPS"}, kept("#define CUPS 12\nint cups = CUPS;\n"))

    def test_a_test_is(self):
        self.assertEqual({"KettleTest_boils", "KettleTest"},
                         kept(alone("class KettleTest : public testing::Test {};\nTEST_F(KettleTest, boils) { x(); }")))

    def test_comments_and_literals_name_nothing(self):
        source = Source("""// one /* two
            /* three " */ auto a = "four \\" // five"; auto b = 'x'; auto c = 1'000; auto d = R"x(six " )" )x";
            auto seven = 1;""")
        self.assertEqual({"auto", "a", "b", "c", "d", "seven"}, source.mentioned)

    def test_what_is_said_of_something_else_is_no_mention(self):
        self.assertEqual({"cup", "other"}, Source("cup.size; other->size; other::size").mentioned)


class Clashes(unittest.TestCase):
    def clash(self, one, other):
        first, second = Source(one), Source(other)
        self.assertEqual(first.clashes_with(second), second.clashes_with(first))
        return first.clashes_with(second)

    def test_a_name_that_both_keep(self):
        self.assertTrue(self.clash(alone("int size() { return 1; }"), alone("int size() { return 2; }")))

    def test_a_name_that_the_other_mentions(self):
        self.assertTrue(self.clash(alone("int size() { return 1; }"), "namespace a {\nint x() { return size(); }\n}"))

    def test_a_member_of_that_name_does_no_harm(self):
        self.assertFalse(self.clash(alone("int size() { return 1; }"), "namespace a {\nint x = c.size();\n}"))

    def test_the_same_alias_twice_does_no_harm(self):
        self.assertFalse(self.clash("namespace a {\nusing base::cat;\nint x = cat();\n}", alone("using base::cat;")))

    def test_two_meanings_of_an_alias(self):
        self.assertTrue(self.clash(alone("using World = a::World;"), alone("using World = b::World;")))
        self.assertTrue(self.clash(alone("using a::World;"), alone("class World {};")))
        self.assertTrue(self.clash(alone("namespace shapes = a;"), alone("namespace shapes = b;")))

    def test_headers_that_come_behind(self):
        source = Source(alone("int size() { return 1; }"))
        self.assertTrue(source.clashes_with(Source(""), frozenset({"size"})))


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src/cups").mkdir(parents=True)
        self.names = []

    def write(self, name, text):
        path = self.root / "src/cups" / name
        path.write_text(text)
        if path.suffix == ".cc":
            self.names = sorted({*self.names, f"src/cups/{name}"})

    def write_many(self, count):
        for index in range(count):
            self.write(f"cup_{index}.cc", alone(f"int cup_{index} = 1;") * 5)

    def make(self, lines=100, *more):
        """The sources of each batch."""
        source_at.cache_clear()  # of the run before
        (self.root / "sources").write_text("\n".join(self.names) + "\n")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            self.status = main(["--root", str(self.root), "--directory", str(self.root / "out"), "--sources",
                                str(self.root / "sources"), "--lines", str(lines), *more])
        batches = []
        for path in sorted((self.root / "out").glob("batch_*.cc")):
            batches.append([line.split('"')[1] for line in path.read_text().split("\n") if line.startswith("#line")])
        self.assertTrue(self.status or len(batches) == int(output.getvalue()))
        return batches

    def test_each_source_is_in_one_batch(self):
        self.write_many(30)
        batches = self.make()
        self.assertEqual(self.names, sorted(name for batch in batches for name in batch))
        self.assertTrue(6 < len(batches) < 14, batches)

    def test_sources_that_clash_are_apart(self):
        self.write("one.cc", alone("int size = 1;"))
        self.write("two.cc", alone("int size = 1;"))
        self.assertEqual([[], ["src/cups/one.cc"], ["src/cups/two.cc"]], sorted(self.make()))

    def test_sources_that_clash_with_the_headers_of_one_before_them_are_apart(self):
        self.write("size.h", "inline constexpr int size = 2;\n")
        self.write("one.cc", '#include "cups/size.h"\n')
        self.write("two.cc", alone("constexpr int size = 1;"))
        self.assertEqual([[], ["src/cups/one.cc"], ["src/cups/two.cc"]], sorted(self.make()))

    def test_heavy_headers_are_read_by_those_who_need_them(self):
        self.write("loop.h", "#include <boost/asio.hpp>\n")
        self.write("one.cc", '#include "cups/loop.h"\n')
        self.write("two.cc", "")
        self.write("three.cc", '#include "cups/loop.h"\n')
        batches = self.make()
        self.assertIn(["src/cups/one.cc", "src/cups/three.cc"], batches)
        self.assertIn(["src/cups/two.cc"], batches)

    def test_a_namespace_that_hides_another(self):
        self.write("testing.h", "namespace cups::testing {\nint x = 1;\n}\n")
        self.write("one.cc", '#include "cups/testing.h"\n')
        self.write("two.cc", "namespace cups {\nclass Two : testing::Test {};\n}\n")
        self.assertEqual([[], ["src/cups/one.cc"], ["src/cups/two.cc"]], sorted(self.make()))
        self.write("two.cc", '#include "cups/testing.h"\nnamespace cups {\nint y = testing::x;\n}\n')
        self.assertEqual([[], ["src/cups/one.cc", "src/cups/two.cc"]], sorted(self.make()))

    def test_a_new_source_leaves_most_batches_alone(self):
        self.write_many(60)
        before = self.make()
        self.write("new.cc", alone("int fresh = 1;") * 5)
        changed = [batch for batch in self.make() if batch not in before]
        self.assertLessEqual(len(changed), 3)

    def test_what_did_not_change_is_not_written(self):
        self.write_many(20)
        self.make()
        before = {path: path.stat().st_mtime_ns for path in (self.root / "out").iterdir()}
        self.write("cup_3.cc", alone("int cup_3 = 2;") * 5)
        self.make()
        after = {path: path.stat().st_mtime_ns for path in (self.root / "out").iterdir()}
        self.assertEqual(1, len([path for path in before if before[path] != after[path]]))

    def test_with_slots_a_source_that_begins_to_clash_moves(self):
        self.write("one.cc", alone("int size = 1;"))
        self.write("two.cc", alone("int height = 1;"))
        self.assertEqual([["src/cups/one.cc", "src/cups/two.cc"], []], self.make())
        self.write("two.cc", alone("int size = 1;"))
        self.assertEqual(2, len([batch for batch in self.make(100, "--slots", "2") if batch]))
        self.write("three.cc", alone("int size = 1;"))
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.make(100, "--slots", "2")
        self.assertEqual(1, self.status)
        self.assertIn("run cmake again", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
