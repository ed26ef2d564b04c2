#include "services/states/item_split.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "lang/states/state_error.h"

namespace tidemill::states {
namespace {

constexpr size_t kKeptMax = size_t{64} << 10;  // dropped bytes that the buffer may still hold
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

asl::Document parsed(std::string_view text) {
  auto value = json::parse(text);
  if (!value) {
    throw asl::StateError(asl::error_name::kItemReaderFailed,
                          base::cat("Failed to parse an item: ", value.error().message), false);
  }
  return asl::make_document(*std::move(value));
}

// Finds the end of one JSON value, whose bytes may come piece by piece. Says nothing about what lies between brackets.
class ValueEnd {
 public:
  // How many of the bytes belong to it; `is_over` once it has ended.
  size_t take(std::string_view bytes) {
    size_t at = 0;
    while (at < bytes.size() && !is_over) {
      const char c = bytes[at];
      if (in_string_) {
        take_of_string(c);
      } else if (c == '"') {
        in_string_ = true;
        has_begun_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
        has_begun_ = true;
      } else if (c == '}' || c == ']') {
        if (depth_ == 0) return finish(at);
        --depth_;
        is_over = depth_ == 0;
      } else if (depth_ == 0 && has_begun_ && (c == ',' || kSpace.contains(c))) {
        return finish(at);
      } else if (!kSpace.contains(c)) {
        has_begun_ = true;
      }
      ++at;
    }
    return at;
  }

  bool is_over = false;

 private:
  void take_of_string(char c) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      is_over = depth_ == 0;
    }
  }
  size_t finish(size_t at) {
    is_over = true;
    return at;
  }

  size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool has_begun_ = false;
};

// RFC 6901.
std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (!pointer.empty()) {
    if (pointer.front() != '/') {
      throw asl::StateError(asl::error_name::kItemReaderFailed, "ItemsPointer is no JSON Pointer", false);
    }
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string token;
    for (size_t i = 0; i < raw.size(); ++i) {
      const bool is_escape = raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1');
      token.push_back(!is_escape ? raw[i] : raw[i + 1] == '0' ? '~' : '/');
      if (is_escape) ++i;
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// The array or object to which a pointer leads; on the way there, values are passed without being kept.
class JsonSplitter final : public ItemSplitter {
 public:
  JsonSplitter(const asl::ItemReader& reader, ItemCursor cursor)
      : ItemSplitter(std::move(cursor)), tokens_(tokens_of(reader.items_pointer)) {
    if (cursor_.token.empty()) return;
    container_ = cursor_.token.front();
    place_ = Place::items;
    needs_comma_ = cursor_.index > 0;
  }

 private:
  enum class Place { value, members, passing, items };

  bool take(SplitItem& item) override {
    while (place_ != Place::items) {
      const bool has_moved = place_ == Place::value ? enter_value() : place_ == Place::members ? find_member() : pass();
      if (!has_moved) return need_more();
    }
    return take_item(item);
  }

  bool need_more() const {
    if (is_whole_) fail("The object ends before its items do.");
    if (rest().size() > 2 * kItemBytesMax) fail("An item is larger than 256 KiB.");
    return false;
  }

  // The first byte that is no space; 0: it has not come.
  char peek() {
    const size_t at = rest().find_first_not_of(kSpace);
    if (at == std::string_view::npos) {
      drop(rest().size());
      return '\0';
    }
    drop(at);
    return rest().front();
  }

  // A value that is the target, or leads there.
  bool enter_value() {
    if (!skip_mark()) return false;
    const char c = peek();
    if (c == '\0') return false;
    const bool is_target = level_ == tokens_.size();
    if (c != '[' && c != '{') {
      fail(is_target ? "Attempting to map over non-iterable node." : "ItemsPointer leads nowhere.");
    }
    drop(1);
    container_ = c;
    count_ = 0;
    needs_comma_ = false;
    place_ = is_target ? Place::items : Place::members;
    if (is_target) cursor_.token = std::string(1, c);
    return true;
  }

  // A comma, a key with its colon; false: more bytes are needed. `is_end`: the closing bracket comes instead.
  bool open_member(std::string& key, bool& is_end) {
    const std::string_view text = rest();
    size_t at = text.find_first_not_of(kSpace);
    if (at == std::string_view::npos) return false;
    is_end = text[at] == (container_ == '[' ? ']' : '}');
    if (is_end) {
      drop(at + 1);
      return true;
    }
    if (needs_comma_) {
      if (text[at] != ',') fail("The object is no JSON.");
      at = text.find_first_not_of(kSpace, at + 1);
      if (at == std::string_view::npos) return false;
    }
    if (container_ == '{') {
      if (text[at] != '"') fail("The object is no JSON.");
      ValueEnd end;
      const size_t length = end.take(text.substr(at));
      const size_t colon = end.is_over ? text.find_first_not_of(kSpace, at + length) : std::string_view::npos;
      if (colon == std::string_view::npos) return false;
      if (text[colon] != ':') fail("The object is no JSON.");
      key = parsed(text.substr(at, length))->string();
      at = colon + 1;
    }
    member_ = at;
    return true;
  }

  bool find_member() {
    std::string key;
    bool is_end = false;
    if (!open_member(key, is_end)) return false;
    if (is_end) fail("ItemsPointer leads nowhere.");
    drop(member_);
    if (container_ == '[') key = std::to_string(count_);
    ++count_;
    needs_comma_ = true;
    if (key == tokens_[level_]) {
      ++level_;
      place_ = Place::value;
    } else {
      passed_ = {};
      place_ = Place::passing;
    }
    return true;
  }

  bool pass() {
    drop(passed_.take(rest()));
    if (passed_.is_over) place_ = Place::members;
    return passed_.is_over;
  }

  bool take_item(SplitItem& item) {
    std::string key;
    bool is_end = false;
    if (!open_member(key, is_end)) return need_more();
    if (is_end) {
      cursor_.is_done = true;
      return false;
    }
    ValueEnd end;
    const std::string_view text = rest().substr(member_);
    const size_t length = end.take(text);
    if (!end.is_over) return need_more();
    if (length > kItemBytesMax) fail("An item is larger than 256 KiB.");
    item.value = parsed(text.substr(0, length));
    item.key = std::move(key);
    needs_comma_ = true;
    drop(member_ + length);
    return true;
  }

  const std::vector<std::string> tokens_;
  Place place_ = Place::value;
  size_t level_ = 0;       // tokens that are found
  char container_ = '\0';  // in which the next member lies
  size_t count_ = 0;       // members of it that were passed
  bool needs_comma_ = false;
  size_t member_ = 0;  // where its value begins in the rest
  ValueEnd passed_;
};

// A line, without what ends it; false: it has not come as a whole.
bool line_of(std::string_view text, bool is_whole, std::string_view& line, size_t& length) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos && !is_whole) return false;
  line = text.substr(0, end);
  length = end == std::string_view::npos ? text.size() : end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

class LineSplitter final : public ItemSplitter {
 public:
  using ItemSplitter::ItemSplitter;

 private:
  bool take(SplitItem& item) override {
    for (;;) {
      if (is_whole_ && rest().empty()) {
        cursor_.is_done = true;
        return false;
      }
      std::string_view line;
      size_t length = 0;
      if (!line_of(rest(), is_whole_, line, length)) {
        if (rest().size() > kItemBytesMax) fail("An item is larger than 256 KiB.");
        return false;
      }
      if (line.size() > kItemBytesMax) fail("An item is larger than 256 KiB.");
      if (line.find_first_not_of(kSpace) == std::string_view::npos) {
        drop(length);
        continue;
      }
      item.value = parsed(line);
      drop(length);
      return true;
    }
  }
};

// RFC 4180, with any delimiter; a quoted field may hold line ends.
class CsvSplitter final : public ItemSplitter {
 public:
  CsvSplitter(const asl::ItemReader& reader, ItemCursor cursor)
      : ItemSplitter(std::move(cursor)), delimiter_(reader.delimiter) {
    const bool is_given = reader.header_location == asl::ItemReader::HeaderLocation::given;
    if (is_given) set_headers(reader.headers);
  }

 private:
  bool take(SplitItem& item) override {
    if (!skip_mark()) return false;
    std::vector<std::string> fields;
    for (;;) {
      if (is_whole_ && rest().empty()) {
        cursor_.is_done = true;
        return false;
      }
      size_t length = 0;
      if (!row_of(fields, length)) {
        if (rest().size() > kItemBytesMax) fail("An item is larger than 256 KiB.");
        return false;
      }
      const bool is_empty = fields.size() == 1 && fields.front().empty();
      const size_t bytes = length;
      if (!is_empty && cursor_.headers.empty()) {
        if (bytes > kCsvHeaderBytesMax) fail("The headers of a CSV file must not exceed 10 KiB.");
        set_headers(fields);
        drop(bytes);
        continue;
      }
      drop(bytes);
      if (!is_empty) break;
    }
    json::Object row;
    for (size_t i = 0; i < cursor_.headers.size(); ++i) {
      row.set(cursor_.headers[i], i < fields.size() ? json::Value(std::move(fields[i])) : json::Value(""));
    }
    item.value = asl::make_document(std::move(row));
    return true;
  }

  void set_headers(std::vector<std::string> headers) {
    std::vector<std::string> sorted = headers;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) fail("CSV headers cannot contain duplicates.");
    cursor_.headers = std::move(headers);
  }

  bool row_of(std::vector<std::string>& fields, size_t& length) const {
    const std::string_view text = rest();
    fields.assign(1, "");
    bool is_quoted = false;
    size_t at = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (is_quoted) {
        if (c != '"') {
          fields.back().push_back(c);
        } else if (at + 1 == text.size() && !is_whole_) {
          return false;
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          fields.back().push_back('"');
          ++at;
        } else {
          is_quoted = false;
        }
      } else if (c == '"' && fields.back().empty()) {
        is_quoted = true;
      } else if (c == delimiter_) {
        fields.emplace_back();
      } else if (c == '\n') {
        length = at + 1;
        if (fields.back().ends_with('\r')) fields.back().pop_back();
        return true;
      } else {
        fields.back().push_back(c);
      }
    }
    if (!is_whole_) return false;
    if (is_quoted) fail("A quoted field of the CSV file does not end.");
    length = at;
    if (fields.back().ends_with('\r')) fields.back().pop_back();
    return true;
  }

  const char delimiter_;
};

}  // namespace

void ItemSplitter::fail(std::string cause) {
  throw asl::StateError(asl::error_name::kItemReaderFailed, std::move(cause), false);
}

void ItemSplitter::drop(size_t bytes) {
  dropped_ += bytes;
  cursor_.offset += bytes;
  if (dropped_ < kKeptMax) return;
  buffer_.erase(0, dropped_);
  dropped_ = 0;
}

bool ItemSplitter::skip_mark() {
  if (cursor_.offset > 0) return true;
  if (rest().size() < kByteOrderMark.size()) return is_whole_ || !kByteOrderMark.starts_with(rest());
  if (rest().starts_with(kByteOrderMark)) drop(kByteOrderMark.size());
  return true;
}

std::optional<SplitItem> ItemSplitter::next() {
  if (cursor_.is_done) return std::nullopt;
  SplitItem item;
  if (!take(item)) return std::nullopt;
  ++cursor_.index;
  item.after = cursor_;
  return item;
}

std::unique_ptr<ItemSplitter> make_splitter(const asl::ItemReader& reader, ItemCursor cursor) {
  using InputType = asl::ItemReader::InputType;
  if (reader.input_type == InputType::jsonl) return std::make_unique<LineSplitter>(std::move(cursor));
  if (reader.input_type == InputType::csv) return std::make_unique<CsvSplitter>(reader, std::move(cursor));
  return std::make_unique<JsonSplitter>(reader, std::move(cursor));
}

}  // namespace tidemill::states
