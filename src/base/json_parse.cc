// Documents out of JSON text.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/json.h"
#include "base/json_escapes.h"
#include "base/json_objects.h"

namespace tidemill::base::json {

// A recursive descent over the text; its depth is bounded by depth_max.
class Parser {
 public:
  Parser(std::string_view text, int depth_max)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), depth_max_(depth_max) {}

  std::expected<Value, ParseError> parse() {
    Value value;
    skip_space();
    if (parse_value(value)) {
      skip_space();
      if (at_ != end_) fail("unexpected text behind the document");
    }
    if (error_ != nullptr) return std::unexpected(ParseError{static_cast<size_t>(at_ - begin_), error_});
    return value;
  }

  static Object object_of(std::vector<Member> members) {
    drop_duplicates(members);
    Object object;
    object.members_ = std::move(members);
    return object;
  }

 private:
  bool fail(const char* message) {
    if (error_ == nullptr) error_ = message;
    return false;
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }

  bool consume(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool parse_value(Value& value) {
    if (at_ == end_) return fail("unexpected end");
    switch (*at_) {
      case '{':
        return parse_object(value);
      case '[':
        return parse_array(value);
      case '"': {
        std::string text;
        if (!parse_string(text)) return false;
        value = Value(std::move(text));
        return true;
      }
      case 't':
        return parse_word("true", Value(true), value);
      case 'f':
        return parse_word("false", Value(false), value);
      case 'n':
        return parse_word("null", Value(), value);
      default:
        return parse_number(value);
    }
  }

  bool parse_word(std::string_view word, Value meaning, Value& value) {
    if (!std::string_view(at_, end_).starts_with(word)) return fail("unexpected character");
    at_ += word.size();
    value = std::move(meaning);
    return true;
  }

  size_t skip_digits() {
    const char* const from = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return static_cast<size_t>(at_ - from);
  }

  bool parse_number(Value& value) {
    const char* const from = at_;
    consume('-');
    if (!consume('0') && skip_digits() == 0) return fail(at_ == from ? "unexpected character" : "malformed number");
    if (consume('.') && skip_digits() == 0) return fail("malformed number");
    if (consume('e') || consume('E')) {
      if (!consume('+')) consume('-');
      if (skip_digits() == 0) return fail("malformed number");
    }
    value = Value(Number{std::string(from, at_)});
    return true;
  }

  bool parse_array(Value& value) {
    if (++depth_ > depth_max_) return fail("nested too deeply");
    ++at_;
    Array array;
    skip_space();
    if (!consume(']')) {
      do {
        skip_space();
        if (!parse_value(array.emplace_back())) return false;
        skip_space();
      } while (consume(','));
      if (!consume(']')) return fail("expected , or ]");
    }
    --depth_;
    value = Value(std::move(array));
    return true;
  }

  bool parse_object(Value& value) {
    if (++depth_ > depth_max_) return fail("nested too deeply");
    ++at_;
    Object object;
    skip_space();
    if (!consume('}')) {
      do {
        skip_space();
        Member& member = object.members_.emplace_back();
        if (at_ == end_ || *at_ != '"') return fail("expected a member's name");
        if (!parse_string(member.first)) return false;
        skip_space();
        if (!consume(':')) return fail("expected :");
        skip_space();
        if (!parse_value(member.second)) return false;
        skip_space();
      } while (consume(','));
      if (!consume('}')) return fail("expected , or }");
      drop_duplicates(object.members_);
    }
    --depth_;
    value = Value(std::move(object));
    return true;
  }

  // The last value of a name takes the place of its first mention.
  static void drop_duplicates(std::vector<Member>& members) {
    std::vector<size_t> order(members.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](size_t a, size_t b) {
      const int compared = members[a].first.compare(members[b].first);
      return compared != 0 ? compared < 0 : a < b;
    });
    std::vector<bool> dropped(members.size());
    bool any = false;
    for (size_t i = 0; i < order.size();) {
      size_t last = i;
      while (last + 1 < order.size() && members[order[last + 1]].first == members[order[i]].first) ++last;
      if (last != i) {
        any = true;
        members[order[i]].second = std::move(members[order[last]].second);
        for (size_t j = i + 1; j <= last; ++j) dropped[order[j]] = true;
      }
      i = last + 1;
    }
    if (!any) return;
    std::vector<Member> kept;
    for (size_t i = 0; i < members.size(); ++i) {
      if (!dropped[i]) kept.push_back(std::move(members[i]));
    }
    members = std::move(kept);
  }

  bool parse_string(std::string& text) {
    ++at_;
    while (true) {
      const char* const run_end = plain_run(at_, end_);
      if (!append_utf8(text, at_, run_end)) return fail("invalid UTF-8");
      at_ = run_end;
      if (at_ == end_) return fail("unterminated string");
      if (consume('"')) return true;
      if (!consume('\\')) return fail("control character in a string");
      if (!parse_escape(text)) return false;
    }
  }

  bool parse_escape(std::string& text) {
    if (at_ == end_) return fail("unterminated string");
    switch (*at_++) {
      case '"':
        text.push_back('"');
        return true;
      case '\\':
        text.push_back('\\');
        return true;
      case '/':
        text.push_back('/');
        return true;
      case 'b':
        text.push_back('\b');
        return true;
      case 'f':
        text.push_back('\f');
        return true;
      case 'n':
        text.push_back('\n');
        return true;
      case 'r':
        text.push_back('\r');
        return true;
      case 't':
        text.push_back('\t');
        return true;
      case 'u':
        break;
      default:
        --at_;
        return fail("unknown escape");
    }
    uint32_t code = 0;
    if (!parse_hex(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      uint32_t low = 0;
      if (!consume('\\') || !consume('u') || !parse_hex(low) || low < 0xdc00 || low > 0xdfff)
        return fail("lone surrogate");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return fail("lone surrogate");
    }
    append_code_point(text, code);
    return true;
  }

  bool parse_hex(uint32_t& code) {
    if (end_ - at_ < 4) return fail("malformed \\u escape");
    const auto [end, error] = std::from_chars(at_, at_ + 4, code, 16);
    if (error != std::errc() || end != at_ + 4) return fail("malformed \\u escape");
    at_ = end;
    return true;
  }

  static void append_code_point(std::string& text, uint32_t code) {
    const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80 | (code >> shift & 0x3f))); };
    if (code < 0x80) {
      text.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      text.push_back(static_cast<char>(0xc0 | code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      text.push_back(static_cast<char>(0xe0 | code >> 12));
      tail(6);
      tail(0);
    } else {
      text.push_back(static_cast<char>(0xf0 | code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  // Most text is nothing else, and has eight characters checked at once.
  static const char* skip_ascii(const char* at, const char* end) {
    constexpr uint64_t kHighs = 0x8080808080808080;
    for (uint64_t bytes; end - at >= static_cast<ptrdiff_t>(sizeof(bytes)); at += sizeof(bytes)) {
      std::memcpy(&bytes, at, sizeof(bytes));
      if ((bytes & kHighs) != 0) break;
    }
    while (at != end && static_cast<uint8_t>(*at) < 0x80) ++at;
    return at;
  }

  static bool append_utf8(std::string& text, const char* from, const char* to) {
    text.append(from, to);
    const auto byte = [&](ptrdiff_t i) { return static_cast<uint8_t>(from[i]); };
    const auto tails = [&](int count, uint8_t low, uint8_t high) {
      if (to - from <= count || byte(1) < low || byte(1) > high) return false;
      for (int i = 2; i <= count; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return false;
      }
      from += count + 1;
      return true;
    };
    while ((from = skip_ascii(from, to)) != to) {
      const uint8_t lead = byte(0);
      bool valid = false;
      if (lead >= 0xc2 && lead < 0xe0) {
        valid = tails(1, 0x80, 0xbf);
      } else if (lead >= 0xe0 && lead < 0xf0) {
        valid = tails(2, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
      } else if (lead >= 0xf0 && lead < 0xf5) {
        valid = tails(3, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
      }
      if (!valid) return false;
    }
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_max_;
  int depth_ = 0;
  const char* error_ = nullptr;
};

std::expected<Value, ParseError> parse(std::string_view text, int depth_max) { return Parser(text, depth_max).parse(); }

Object object_of(std::vector<Member> members) { return Parser::object_of(std::move(members)); }

}  // namespace tidemill::base::json
