#include "base/json_members.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tidemill::base::json {
namespace {

enum class Colour { red, green };
std::string_view name_of(Colour colour) { return colour == Colour::red ? "RED" : "GREEN"; }
std::optional<Colour> colour_of(std::string_view name) {
  if (name == "RED") return Colour::red;
  if (name == "GREEN") return Colour::green;
  return std::nullopt;
}

struct Leaf {
  std::string name;
  int32_t count = 0;
  bool operator==(const Leaf&) const = default;
};
constexpr auto kLeafMembers = [](auto& member, auto& leaf) {
  member("name", leaf.name);
  member.unless_empty("count", leaf.count);
};

struct Tree {
  std::string place;  // no member
  std::string text;
  bool flag = false;
  uint64_t number = 0;
  double share = 0;
  Time time;
  std::chrono::minutes window{};
  std::vector<std::string> texts;
  std::set<std::string> names;
  std::map<std::string, int64_t> counts;
  std::vector<std::vector<int64_t>> pairs;
  Colour shade = Colour::red;  // as its number
  Value anything;
  Colour colour = Colour::red;
  std::optional<Colour> other_colour;
  std::string bytes;
  std::optional<std::string> note;
  std::string later = "of before";
  std::string empty_mostly;
  Leaf leaf;
  std::optional<Leaf> other_leaf;
  std::vector<Leaf> leaves;
  std::vector<Leaf> fallen;
};
constexpr auto kTreeMembers = [](auto& member, auto& tree) {
  member("text", tree.text);
  member("flag", tree.flag);
  member("number", tree.number);
  member("share", tree.share);
  member("time_us", tree.time);
  member("window_min", tree.window);
  member("texts", tree.texts);
  member("names", tree.names);
  member("counts", tree.counts);
  member.added("pairs", tree.pairs);
  member.unless_empty("shade", tree.shade);
  member("anything", tree.anything);
  member.as("colour", tree.colour, name_of, colour_of);
  member.as("other_colour", tree.other_colour, name_of, colour_of);
  member.bytes("bytes", tree.bytes);
  member("note", tree.note);
  member.added("later", tree.later);
  member.unless_empty("empty_mostly", tree.empty_mostly);
  member.part("leaf", "leaf of a tree", tree.leaf, kLeafMembers);
  member.part("other_leaf", "leaf of a tree", tree.other_leaf, kLeafMembers);
  member.list("leaves", "leaf of a tree", tree.leaves, kLeafMembers);
  member.list_unless_empty("fallen", "leaf of a tree", tree.fallen, kLeafMembers);
  member.check(tree.number != 13, "number");
};

constexpr std::string_view kFull =
    R"({"text":"a\"b","flag":true,"number":7,"share":0.5,"time_us":1773446400000001,"window_min":15,)"
    R"("texts":["x","y"],"names":["a","b"],"counts":{"k":1,"l":2},"pairs":[[1,2],[3,4]],"shade":1,)"
    R"("anything":[null,{"deep":1.0}],"colour":"GREEN",)"
    R"("other_colour":"RED","bytes":"AP8=","note":"n","later":"now","empty_mostly":"e","leaf":{"name":"one"},)"
    R"("other_leaf":{"name":"two","count":2},"leaves":[{"name":"three"}],"fallen":[{"name":"four","count":-4}]})";
constexpr std::string_view kLeast =
    R"({"text":"","flag":false,"number":0,"share":0,"time_us":0,"window_min":0,"texts":[],"names":[],"counts":{},)"
    R"("anything":null,"colour":"RED","bytes":"","leaf":{"name":""},"leaves":[]})";

Tree read(std::string_view bytes) { return decode<Tree>("tree", bytes, kTreeMembers); }

// What reading `bytes` throws.
std::string reason(std::string_view bytes) {
  try {
    (void)read(bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(none)";
}
// kLeast with `from` made `to`.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kLeast);
  return text.replace(text.find(from), from.size(), to);
}

TEST(JsonMembers, AreWrittenAndReadByOneDescription) {
  const Tree tree = read(kFull);
  EXPECT_EQ(tree.text, "a\"b");
  EXPECT_TRUE(tree.flag);
  EXPECT_EQ(tree.number, 7u);
  EXPECT_EQ(tree.share, 0.5);
  EXPECT_EQ(tree.time, Time(Duration(1'773'446'400'000'001)));
  EXPECT_EQ(tree.window, std::chrono::minutes(15));
  EXPECT_EQ(tree.texts, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(tree.names, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(tree.counts, (std::map<std::string, int64_t>{{"k", 1}, {"l", 2}}));
  EXPECT_EQ(tree.pairs, (std::vector<std::vector<int64_t>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(tree.shade, Colour::green);
  EXPECT_EQ(tree.colour, Colour::green);
  EXPECT_EQ(tree.other_colour, Colour::red);
  EXPECT_EQ(tree.bytes, std::string("\0\xff", 2));
  EXPECT_EQ(tree.note, "n");
  EXPECT_EQ(tree.later, "now");
  EXPECT_EQ(tree.leaf, (Leaf{"one"}));
  EXPECT_EQ(tree.other_leaf, (Leaf{"two", 2}));
  EXPECT_EQ(tree.leaves, (std::vector<Leaf>{{"three"}}));
  EXPECT_EQ(tree.fallen, (std::vector<Leaf>{{"four", -4}}));
  EXPECT_EQ(encode(tree, kTreeMembers), kFull);
}

TEST(JsonMembers, ThatMayBeMissingLeaveTheValueAsItWas) {
  const Tree tree = decode("tree", kLeast, kTreeMembers, Tree{.place = "here"});
  EXPECT_EQ(tree.place, "here");
  EXPECT_FALSE(tree.note);
  EXPECT_FALSE(tree.other_colour);
  EXPECT_FALSE(tree.other_leaf);
  EXPECT_EQ(tree.later, "of before");
  Tree written = tree;
  written.later.clear();
  std::string expected = changed(R"("leaf":)", R"("later":"","leaf":)");
  expected.insert(expected.find(R"("anything")"), R"("pairs":[],)");
  EXPECT_EQ(encode(written, kTreeMembers), expected);
}

TEST(JsonMembers, OfAnotherKindOrMissingAreDamage) {
  EXPECT_EQ(reason(kLeast), "(none)");
  EXPECT_EQ(reason(changed(R"("text":"",)", "")), "a stored tree is damaged: text");
  EXPECT_EQ(reason(changed(R"("text":"")", R"("text":1)")), "a stored tree is damaged: text");
  EXPECT_EQ(reason(changed(R"("flag":false)", R"("flag":0)")), "a stored tree is damaged: flag");
  EXPECT_EQ(reason(changed(R"("number":0)", R"("number":"0")")), "a stored tree is damaged: number");
  EXPECT_EQ(reason(changed(R"("number":0)", R"("number":13)")), "a stored tree is damaged: number");
  EXPECT_EQ(reason(changed(R"("texts":[])", R"("texts":[1])")), "a stored tree is damaged: texts");
  EXPECT_EQ(reason(changed(R"("counts":{})", R"("counts":{"k":"1"})")), "a stored tree is damaged: counts");
  EXPECT_EQ(reason(changed(R"("colour":"RED")", R"("colour":"BLUE")")), "a stored tree is damaged: colour");
  EXPECT_EQ(reason(changed(R"("bytes":"")", R"("bytes":"*")")), "a stored tree is damaged: bytes");
  EXPECT_EQ(reason(changed(R"("leaf":{"name":""})", R"("leaf":{})")), "a stored leaf of a tree is damaged: name");
  EXPECT_EQ(reason(changed(R"("leaf":{"name":""})", R"("leaf":[])")), "a stored leaf of a tree is damaged: not an object");
  EXPECT_EQ(reason(changed(R"("leaves":[])", R"("leaves":{})")), "a stored tree is damaged: leaves");
  EXPECT_EQ(reason(changed(R"("leaves":[])", R"("leaves":[],"note":1)")), "a stored tree is damaged: note");
}

}  // namespace
}  // namespace tidemill::base::json
