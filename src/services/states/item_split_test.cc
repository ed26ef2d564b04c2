// Items out of objects that come in pieces of any size, and from any item on.
#include "services/states/item_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "lang/states/state_error.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using InputType = asl::ItemReader::InputType;

std::string text_of(const SplitItem& item) {
  return item.key.empty() ? json::write(*item.value) : base::cat(item.key, "=", json::write(*item.value));
}

std::vector<SplitItem> items_of(const asl::ItemReader& reader, std::string_view object, size_t piece,
                                const ItemCursor& from = {}) {
  const auto splitter = make_splitter(reader, from);
  std::vector<SplitItem> items;
  std::string_view rest = object.substr(std::min<size_t>(from.offset, object.size()));
  for (;;) {
    while (auto item = splitter->next()) items.push_back(*std::move(item));
    if (splitter->cursor().is_done) return items;
    if (rest.empty()) {
      splitter->finish();
    } else {
      splitter->feed(rest.substr(0, piece));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
  }
}

// The same whatever the pieces are, and when reading goes on behind any item.
std::vector<std::string> texts_of(const asl::ItemReader& reader, std::string_view object) {
  const auto all = items_of(reader, object, object.size() + 1);
  std::vector<std::string> texts;
  for (const SplitItem& item : all) texts.push_back(text_of(item));
  for (const size_t piece : {1, 2, 3, 7}) {
    const auto again = items_of(reader, object, piece);
    EXPECT_EQ(again.size(), all.size()) << piece;
    for (size_t i = 0; i < std::min(again.size(), all.size()); ++i) {
      EXPECT_EQ(text_of(again[i]), texts[i]) << piece;
      EXPECT_EQ(again[i].after.offset, all[i].after.offset) << piece;
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const auto behind = items_of(reader, object, 5, all[i].after);
    EXPECT_EQ(behind.size(), all.size() - i - 1);
    for (size_t k = 0; k < behind.size(); ++k) EXPECT_EQ(text_of(behind[k]), texts.at(i + 1 + k));
  }
  return texts;
}

std::string error_of(const asl::ItemReader& reader, std::string_view object, size_t piece = 4) {
  try {
    (void)items_of(reader, object, piece);
    return "";
  } catch (const asl::StateError& error) {
    return base::cat(error.error(), ": ", error.detail());
  }
}

asl::ItemReader reader_of(InputType type, std::string_view pointer = {}) {
  asl::ItemReader reader{.input_type = type};
  reader.items_pointer = pointer;
  return reader;
}

TEST(ItemSplit, TakesJsonArraysApart) {
  const auto reader = reader_of(InputType::json);
  EXPECT_THAT(texts_of(reader, R"( [ 1 , "a,]\"" ,{"b":[2,{}]}, null,[ ] ,-1.5e3 ] )"),
              ElementsAre("1", R"("a,]\"")", R"({"b":[2,{}]})", "null", "[]", "-1.5e3"));
  EXPECT_THAT(texts_of(reader, "\xef\xbb\xbf[]"), IsEmpty());
  EXPECT_THAT(texts_of(reader, R"({"a":1,"b c":{"d":2}})"), ElementsAre("a=1", R"(b c={"d":2})"));
}

TEST(ItemSplit, FollowsPointers) {
  constexpr std::string_view kObject = R"({"x":[{"y":[9]},"},"],"a/b":{"skip":"}]","c":[7,[8,{"deep":[1,2]}]]}})";
  EXPECT_THAT(texts_of(reader_of(InputType::json, "/a~1b/c"), kObject), ElementsAre("7", R"([8,{"deep":[1,2]}])"));
  EXPECT_THAT(texts_of(reader_of(InputType::json, "/a~1b/c/1/1/deep"), kObject), ElementsAre("1", "2"));
  EXPECT_THAT(texts_of(reader_of(InputType::json, "/x/0"), kObject), ElementsAre("y=[9]"));
  EXPECT_EQ(error_of(reader_of(InputType::json, "/a"), kObject),
            "States.ItemReaderFailed: ItemsPointer leads nowhere.");
  EXPECT_EQ(error_of(reader_of(InputType::json, "/x/0/y/0"), kObject),
            "States.ItemReaderFailed: Attempting to map over non-iterable node.");
}

TEST(ItemSplit, RefusesWhatIsNoJson) {
  const auto reader = reader_of(InputType::json);
  EXPECT_EQ(error_of(reader, "5"), "States.ItemReaderFailed: Attempting to map over non-iterable node.");
  EXPECT_EQ(error_of(reader, "[1,2"), "States.ItemReaderFailed: The object ends before its items do.");
  EXPECT_EQ(error_of(reader, "[1 2]"), "States.ItemReaderFailed: The object is no JSON.");
  EXPECT_NE(error_of(reader, "[1,]"), "");
  EXPECT_NE(error_of(reader, "[{\"a\":}]"), "");
  EXPECT_EQ(error_of(reader, "[\"" + std::string(kItemBytesMax, 'x') + "\"]", kItemBytesMax),
            "States.ItemReaderFailed: An item is larger than 256 KiB.");
}

TEST(ItemSplit, TakesLinesOfJsonApart) {
  const auto reader = reader_of(InputType::jsonl);
  EXPECT_THAT(texts_of(reader, "{\"a\":1}\r\n\n[2]\n3"), ElementsAre(R"({"a":1})", "[2]", "3"));
  EXPECT_THAT(texts_of(reader, ""), IsEmpty());
  EXPECT_NE(error_of(reader, "{\"a\":1}\n{"), "");
}

TEST(ItemSplit, TakesCsvApart) {
  auto reader = reader_of(InputType::csv);
  reader.header_location = asl::ItemReader::HeaderLocation::first_row;
  EXPECT_THAT(texts_of(reader, "a,,c\r\n1,2,3,4\n\"x,\"\"y\"\"\nz\",5\n\n7"),
              ElementsAre(R"({"a":"1","":"2","c":"3"})", R"({"a":"x,\"y\"\nz","":"5","c":""})",
                          R"({"a":"7","":"","c":""})"));
  EXPECT_EQ(error_of(reader, "a,b,a\n1,2,3"), "States.ItemReaderFailed: CSV headers cannot contain duplicates.");
  EXPECT_EQ(error_of(reader, "a\n\"x"), "States.ItemReaderFailed: A quoted field of the CSV file does not end.");
  reader.header_location = asl::ItemReader::HeaderLocation::given;
  reader.headers = {"x", "y"};
  reader.delimiter = '\t';
  EXPECT_THAT(texts_of(reader, "1\t2\t3\n4,5\n"), ElementsAre(R"({"x":"1","y":"2"})", R"({"x":"4,5","y":""})"));
}

}  // namespace
}  // namespace tidemill::states
