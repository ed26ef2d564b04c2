#include <algorithm>
#include <charconv>
#include <vector>

#include "base/base64.h"
#include "base/utf8.h"
#include "lang/dynamodb/ion_codec.h"

namespace tidemill::lang::dynamodb {

namespace {

[[noreturn]] void malformed() {
  throw ValueError(ValueError::Kind::serialization, "The item is not valid Amazon Ion text");
}
[[noreturn]] void refuse(std::string_view what) {
  throw ValueError(ValueError::Kind::validation, "Amazon Ion values of type " + std::string(what) +
                                                     " cannot be represented as a DynamoDB attribute value");
}

bool is_identifier_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

void append_code_point(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (code >> 6)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | (code >> 12)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | (code >> 18)));
    out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3f)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

// "2020T", "2020-01-01": a year of four digits and more.
bool is_timestamp(std::string_view text) {
  constexpr size_t kYear = 4;
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return text.size() > kYear && std::ranges::all_of(text.substr(0, kYear), is_digit) &&
         (text[kYear] == '-' || text[kYear] == 'T');
}

// Walks the text; each function reads what its name says and the white space behind it is skipped by the next.
class IonReader {
 public:
  explicit IonReader(std::string_view text) : text_(text) {}

  Value document() {
    skip_space();
    while (rest().starts_with(kIonVersionMarker)) {
      at_ += kIonVersionMarker.size();
      skip_space();
    }
    if (peek() != '{' || rest().starts_with("{{")) malformed();  // two braces begin a blob
    Value value = this->value(0);
    skip_space();
    if (at_ != text_.size()) malformed();
    return value;
  }

 private:
  // What wraps the item and the item itself are levels 0 and 1; an attribute's own value is its first.
  static constexpr int kLevelsMax = kDepthMax + 1;

  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() {
    if (at_ >= text_.size()) malformed();
    return text_[at_++];
  }
  bool accept(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) malformed();
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\n\r\v\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (accept("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (accept("/*")) {
        const size_t end = text_.find("*/", at_);
        if (end == std::string_view::npos) malformed();
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  Value value(int level) {
    if (level > kLevelsMax) throw ValueError(ValueError::Kind::validation, kNestedTooDeeply);
    skip_space();
    std::string annotation;  // the one that says a set's type
    while (std::optional<std::string> next = find_annotation()) {
      if (next->starts_with("$dynamodb_")) annotation = *std::move(next);
      skip_space();
    }
    if (!annotation.empty()) return set(annotation, level);
    if (accept("{{")) return Value::binary(blob());
    const char c = peek();
    if (c == '{') return structure(level);
    if (c == '[') return list(level);
    if (c == '"') return Value::string(quoted('"'));
    if (rest().starts_with("'''")) return Value::string(long_string());
    if (c == '\'') refuse("symbol");
    if (c == '(') refuse("sexp");
    if (c == '-' || c == '+' || std::isdigit(static_cast<unsigned char>(c))) return Value::number(number());
    return word();
  }

  // A symbol with "::" behind it. Otherwise the place is as it was.
  std::optional<std::string> find_annotation() {
    const size_t begin = at_;
    std::string name;
    if (peek() == '\'' && !rest().starts_with("'''")) {
      name = quoted('\'');
    } else {
      while (is_identifier_part(peek())) name.push_back(take());
    }
    if (!name.empty() && !std::isdigit(static_cast<unsigned char>(name.front()))) {
      skip_space();
      if (accept("::")) return name;
    }
    at_ = begin;
    return std::nullopt;
  }

  Value word() {
    std::string name;
    while (is_identifier_part(peek()) || peek() == '.') name.push_back(take());
    if (name == "true" || name == "false") return Value::boolean(name == "true");
    if (name == "null" || name.starts_with("null.")) return Value::null();
    if (name == "nan") refuse("float");
    if (name.empty()) malformed();
    refuse("symbol");
  }

  // The text behind an opening quote, with its escapes resolved.
  std::string quoted(char quote) {
    expect(std::string_view(&quote, 1));
    std::string out;
    for (;;) {
      const char c = take();
      if (c == quote) break;
      if (c == '\n' || c == '\r') malformed();
      if (c == '\\')
        append_escape(out);
      else
        out.push_back(c);
    }
    if (!base::is_utf8(out)) malformed();
    return out;
  }

  // Segments in three quotes each, which are one string together.
  std::string long_string() {
    std::string out;
    while (accept("'''")) {
      while (!accept("'''")) {
        const char c = take();
        if (c == '\\') {
          append_escape(out);
        } else if (c == '\r') {  // ends of lines are the same in every file
          (void)accept("\n");
          out.push_back('\n');
        } else {
          out.push_back(c);
        }
      }
      skip_space();
    }
    if (!base::is_utf8(out)) malformed();
    return out;
  }

  void append_escape(std::string& out) {
    static constexpr std::string_view kLetters = "abtnfrv0\"'\\/?";
    static constexpr std::string_view kMeanings{"\a\b\t\n\f\r\v\0\"'\\/?", kLetters.size()};
    const char c = take();
    if (const size_t found = kLetters.find(c); found != std::string_view::npos) {
      out.push_back(kMeanings[found]);
    } else if (c == 'x') {
      append_code_point(out, hex(2));
    } else if (c == 'u') {
      append_utf16(out, hex(4));
    } else if (c == 'U') {
      const uint32_t code = hex(8);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) malformed();
      append_code_point(out, code);
    } else if (c == '\r') {
      (void)accept("\n");
    } else if (c != '\n') {
      malformed();
    }
  }

  void append_utf16(std::string& out, uint32_t unit) {
    if (unit >= 0xd800 && unit < 0xdc00) {
      expect("\\u");
      const uint32_t low = hex(4);
      if (low < 0xdc00 || low >= 0xe000) malformed();
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    } else if (unit >= 0xdc00 && unit < 0xe000) {
      malformed();
    }
    append_code_point(out, unit);
  }

  uint32_t hex(size_t digits) {
    const std::string_view text = rest().substr(0, digits);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() != digits || error != std::errc() || end != text.data() + digits) malformed();
    at_ += digits;
    return value;
  }

  std::string blob() {
    skip_white();
    if (peek() == '"' || peek() == '\'') refuse("clob");
    std::string text;
    while (!accept("}}")) {
      const char c = take();
      if (!std::isspace(static_cast<unsigned char>(c))) text.push_back(c);
    }
    auto bytes = base::base64_decode(text);
    if (!bytes) malformed();
    return *std::move(bytes);
  }
  // In a blob "//" is no comment.
  void skip_white() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  Decimal number() {
    std::string text;
    while (is_identifier_part(peek()) || peek() == '.' || peek() == '-' || peek() == '+' || peek() == ':') {
      const char c = take();
      if (c != '_') text.push_back(c);
    }
    const size_t sign = text.starts_with('-') ? 1 : 0;
    if (text.starts_with('+')) refuse("float");  // +inf: a number has no such sign
    if (text.ends_with("inf")) refuse("float");
    if (is_timestamp(text)) refuse("timestamp");
    if (text.compare(sign, 2, "0x") == 0 || text.compare(sign, 2, "0b") == 0) return integer(text, sign);
    if (text.find_first_of("eE") != std::string::npos) refuse("float");
    return decimal(text);
  }

  static Decimal decimal(std::string text) {
    if (const size_t exponent = text.find_first_of("dD"); exponent != std::string::npos) text[exponent] = 'e';
    // "103." and "6.d2" have a point with nothing behind it.
    const size_t point = text.find('.');
    if (point != std::string::npos && (point + 1 == text.size() || text[point + 1] == 'e')) text.erase(point, 1);
    const auto number = Decimal::parse(text);
    if (!number) throw ValueError(ValueError::Kind::validation, base::decimal_error_message(number.error(), text));
    return *number;
  }

  // In hexadecimal or binary digits; as large as 63 bits.
  static Decimal integer(std::string text, size_t sign) {
    const int base = text[sign + 1] == 'x' ? 16 : 2;
    text.erase(sign, 2);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) malformed();
    return Decimal(value);
  }

  Value list(int level) {
    std::vector<Value> elements;
    expect("[");
    for (skip_space(); !accept("]"); skip_space()) {
      elements.push_back(value(level + 1));
      skip_space();
      if (peek() != ']') expect(",");
    }
    return Value::list(elements);
  }

  Value structure(int level) {
    std::vector<std::pair<std::string, Value>> members;
    expect("{");
    for (skip_space(); !accept("}"); skip_space()) {
      std::string name = field_name();
      if (name.empty()) throw ValueError(ValueError::Kind::validation, "Attribute name cannot be empty");
      skip_space();
      expect(":");
      if (peek() == ':') malformed();
      members.emplace_back(std::move(name), value(level + 1));
      skip_space();
      if (peek() != '}') expect(",");
    }
    return Value::map(std::move(members));
  }

  std::string field_name() {
    if (rest().starts_with("'''")) return long_string();
    if (peek() == '"') return quoted('"');
    if (peek() == '\'') return quoted('\'');
    std::string name;
    while (is_identifier_part(peek())) name.push_back(take());
    if (name.empty()) malformed();
    return name;
  }

  Value set(const std::string& annotation, int level) {
    const auto type = type_from_name(annotation.substr(annotation.find('_') + 1));
    if (type != Type::SS && type != Type::NS && type != Type::BS) malformed();
    if (peek() != '[') malformed();
    const Value elements = list(level);
    const size_t count = elements.view().count();
    if (count == 0) {
      throw ValueError(ValueError::Kind::validation, "One or more parameter values were invalid: An " +
                                                         std::string(type_name(*type)) + " set  may not be empty");
    }
    Value result = set_of(*type, elements.view());
    if (result.view().count() != count) {
      throw ValueError(ValueError::Kind::validation,
                       "One or more parameter values were invalid: Input collection contains duplicates.");
    }
    return result;
  }

  static Value set_of(Type type, ValueView elements) {
    const Type element_type = type == Type::SS ? Type::S : type == Type::NS ? Type::N : Type::B;
    std::vector<std::string> texts;
    std::vector<Decimal> numbers;
    for (const ValueView element : elements.elements()) {
      if (element.type() != element_type) malformed();
      if (type == Type::NS)
        numbers.push_back(element.number());
      else
        texts.emplace_back(element.string());
    }
    if (type == Type::NS) return Value::number_set(std::move(numbers));
    return type == Type::SS ? Value::string_set(std::move(texts)) : Value::binary_set(std::move(texts));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Item item_from_ion(std::string_view text) {
  const Value value = IonReader(text).document();
  return Item(ItemView::of_map(value.view()));
}

}  // namespace tidemill::lang::dynamodb
