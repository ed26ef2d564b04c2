#include "wire/cbor.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "wire/error.h"
#include "wire/shape_bindings.h"
#include "wire/timestamp.h"
#include "wire/unsupported.h"

namespace tidemill::wire::cbor {

namespace {

// Major types (RFC 8949, 3.1).
constexpr uint8_t kUnsigned = 0;
constexpr uint8_t kNegative = 1;
constexpr uint8_t kBytes = 2;
constexpr uint8_t kText = 3;
constexpr uint8_t kList = 4;
constexpr uint8_t kMap = 5;
constexpr uint8_t kTag = 6;
constexpr uint8_t kSimple = 7;

constexpr uint8_t kIndefinite = 31;  // of the low five bits
constexpr uint8_t kBreak = 0xFF;
constexpr uint8_t kFalse = 20, kTrue = 21, kNull = 22, kUndefined = 23, kHalf = 25, kFloat = 26, kDouble = 27;
constexpr uint64_t kTimeTag = 1;
constexpr uint64_t kFirstBigTag = 2, kLastBigTag = 5;  // numbers of any size, decimal and binary fractions

[[noreturn]] void refuse(std::string why) { throw serialization_error(std::move(why)); }
[[noreturn]] void refuse_end() { refuse("Unexpected end of CBOR"); }

std::string_view name_of(uint8_t major) {
  switch (major) {
    case kUnsigned:
    case kNegative: return "NUMBER_VALUE";
    case kBytes: return "BLOB_VALUE";
    case kText: return "STRING_VALUE";
    case kList: return "Start of list";
    case kMap: return "Start of structure or map";
    default: return "SIMPLE_VALUE";
  }
}

[[noreturn]] void refuse_type(uint8_t major, std::string_view wanted) {
  refuse(std::string(name_of(major)) + " cannot be converted to " + std::string(wanted));
}

double half(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double value = exponent == 0    ? std::ldexp(mantissa, -24)
                       : exponent == 31 ? (mantissa == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN())
                                        : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

std::optional<double> float_of(uint8_t minor, uint64_t bits) {
  switch (minor) {
    case kHalf: return half(static_cast<uint16_t>(bits));
    case kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case kDouble: return std::bit_cast<double>(bits);
    default: return std::nullopt;
  }
}

int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value <= -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace

Reader::Reader(std::string_view bytes, TimeUnit unit) : rest_(bytes), unit_(unit), room_(bytes.size()) {
  constexpr std::string_view kEmptyMap("\xA0", 1);
  if (rest_.empty()) rest_ = kEmptyMap;
}

uint8_t Reader::peek() const {
  if (rest_.empty()) refuse_end();
  return static_cast<uint8_t>(rest_.front());
}

std::string_view Reader::take(uint64_t count) {
  if (count > rest_.size()) refuse_end();
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

Reader::Head Reader::head() {
  constexpr uint8_t kInline = 24;  // below, the value itself
  const auto first = static_cast<uint8_t>(take(1).front());
  Head result{static_cast<uint8_t>(first >> 5), static_cast<uint8_t>(first & 0x1F), static_cast<uint64_t>(first & 0x1F)};
  if (result.minor < kInline) return result;
  if (result.minor == kIndefinite) {
    if (result.major == kUnsigned || result.major == kNegative || result.major == kTag) refuse("Reserved length in CBOR");
    return result;
  }
  if (result.minor > kDouble) refuse("Reserved length in CBOR");
  result.value = 0;
  for (const char c : take(uint64_t{1} << (result.minor - kInline))) {
    result.value = result.value << 8 | static_cast<uint8_t>(c);
  }
  return result;
}

void Reader::skip_tags() {
  while (peek() >> 5 == kTag) {
    const uint64_t tag = head().value;
    if (tag >= kFirstBigTag && tag <= kLastBigTag) refuse("Numbers of more than 64 bits are not supported");
  }
}

Reader::Head Reader::head_after_tags() {
  skip_tags();
  return head();
}

Reader::Container Reader::open(uint8_t major, std::string_view what) {
  const Head found = head_after_tags();
  if (found.major != major) refuse_type(found.major, what);
  if (++depth_ > kDepthMax) refuse("CBOR is nested too deep");
  if (found.minor == kIndefinite) return {0, true};
  return {found.value, false};
}

Reader::Container Reader::open_map() { return open(kMap, "Structure"); }
Reader::Container Reader::open_list() { return open(kList, "List"); }

bool Reader::more(Container& container) {
  if (container.indefinite ? peek() != kBreak : container.left > 0) {
    if (!container.indefinite) --container.left;
    return true;
  }
  if (container.indefinite) (void)take(1);
  --depth_;
  return false;
}

std::string_view Reader::string_of(uint8_t major, std::string& joined) {
  const Head found = head_after_tags();
  const std::string_view wanted = major == kText ? "String" : "Blob";
  if (found.major != major) refuse_type(found.major, wanted);
  if (found.minor != kIndefinite) return take(found.value);
  joined.clear();
  while (peek() != kBreak) {
    const Head piece = head();
    if (piece.major != major || piece.minor == kIndefinite) refuse("Pieces of a CBOR string are strings of its kind");
    joined.append(take(piece.value));
  }
  (void)take(1);
  return joined;
}

std::string_view Reader::key() { return string_of(kText, key_); }

bool Reader::null() {
  const uint8_t first = peek();
  if (first != (kSimple << 5 | kNull) && first != (kSimple << 5 | kUndefined)) return false;
  (void)take(1);
  return true;
}

void Reader::refuse_null() {
  if (null()) refuse("Unexpected null in a list");
}

std::string Reader::text() {
  std::string joined;
  return shapes::text_of(std::string(string_of(kText, joined)));
}

std::string Reader::bytes() {
  std::string joined;
  return std::string(string_of(kBytes, joined));
}

bool Reader::boolean() {
  const Head found = head_after_tags();
  if (found.major != kSimple || (found.minor != kFalse && found.minor != kTrue)) refuse_type(found.major, "Boolean");
  return found.minor == kTrue;
}

int64_t Reader::long_integer() {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const Head found = head_after_tags();
  if (found.minor == kIndefinite) refuse("Unexpected end of a CBOR list or map");
  switch (found.major) {
    case kUnsigned: return static_cast<int64_t>(std::min(found.value, kMax));
    case kNegative: return -1 - static_cast<int64_t>(std::min(found.value, kMax));
    case kSimple:
      if (const auto value = float_of(found.minor, found.value)) return truncated(*value);
      [[fallthrough]];
    default: refuse_type(found.major, "Long");
  }
}

int32_t Reader::integer() {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::min(std::max(long_integer(), kMin), kMax));
}

double Reader::number() {
  const Head found = head_after_tags();
  if (found.minor == kIndefinite) refuse("Unexpected end of a CBOR list or map");
  switch (found.major) {
    case kUnsigned: return static_cast<double>(found.value);
    case kNegative: return -1 - static_cast<double>(found.value);
    case kSimple:
      if (const auto value = float_of(found.minor, found.value)) return *value;
      [[fallthrough]];
    default: refuse_type(found.major, "Double");
  }
}

base::Time Reader::timestamp() {
  const double count = number();
  const auto time = time_from_seconds(unit_ == TimeUnit::milliseconds ? count / 1000 : count);
  if (!time) refuse("Unexpected value of a timestamp");
  return *time;
}

void Reader::skip() {
  const uint8_t major = (skip_tags(), peek() >> 5);
  if (major == kMap || major == kList) {
    Container container = major == kMap ? open_map() : open_list();
    while (more(container)) {
      if (major == kMap) skip();
      skip();
    }
    return;
  }
  if (major == kText || major == kBytes) {
    std::string joined;
    (void)string_of(major, joined);
    return;
  }
  if (head().minor == kIndefinite) refuse("Unexpected end of a CBOR list or map");
}

void Reader::refuse_unsupported(const OperationInfo& operation, std::string_view name, std::string_view accepted) {
  skip_tags();
  const Reader begin = *this;
  switch (peek() >> 5) {
    case kMap:
    case kList: {
      Container container = peek() >> 5 == kMap ? open_map() : open_list();
      if (!more(container)) return;
      break;
    }
    case kText:
      if (!accepted.empty() && text() == accepted) return;
      break;
    case kUnsigned:
    case kNegative:
      if (!accepted.empty() && std::to_string(long_integer()) == accepted) return;
      break;
    case kSimple:
      if (const Head found = head(); (found.minor == kTrue && accepted == "true") ||
                                     (found.minor == kFalse && accepted == "false")) return;
      break;
    default: break;
  }
  *this = begin;
  skip();  // damage goes first
  throw unsupported_parameter(operation, name);
}

void Reader::finish() const {
  if (!rest_.empty()) refuse("Unexpected bytes behind CBOR");
}

// ---- writing ------------------------------------------------------------------------------------------------------

void Writer::head(uint8_t major, uint64_t value) {
  const char high = static_cast<char>(major << 5);
  if (value < 24) {
    out_.push_back(static_cast<char>(high | static_cast<char>(value)));
    return;
  }
  const int bytes = value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFFFFFF ? 4 : 8;
  out_.push_back(static_cast<char>(high | static_cast<char>(24 + std::countr_zero(static_cast<unsigned>(bytes)))));
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out_.push_back(static_cast<char>(value >> shift));
}

void Writer::text(std::string_view value) {
  head(kText, value.size());
  out_.append(value);
}

void Writer::bytes(std::string_view value) {
  head(kBytes, value.size());
  out_.append(value);
}

void Writer::integer(int64_t value) {
  if (value >= 0) head(kUnsigned, static_cast<uint64_t>(value));
  else head(kNegative, static_cast<uint64_t>(-1 - value));
}

void Writer::number(double value) {
  out_.push_back(static_cast<char>(kSimple << 5 | kDouble));
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out_.push_back(static_cast<char>(bits >> shift));
}

void Writer::timestamp(base::Time value) {
  head(kTag, kTimeTag);
  if (unit_ == TimeUnit::milliseconds) {
    integer(std::chrono::floor<std::chrono::milliseconds>(value.time_since_epoch()).count());
  } else {
    number(static_cast<double>(value.time_since_epoch().count()) / 1e6);
  }
}

void Writer::value(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::null: out_.push_back(static_cast<char>(kSimple << 5 | kNull)); break;
    case json::Kind::boolean: boolean(value.boolean()); break;
    case json::Kind::number:
      if (const auto whole = value.to_int64()) integer(*whole);
      else number(value.to_double().value_or(0));
      break;
    case json::Kind::string: text(value.string()); break;
    case json::Kind::array:
      list(value.array().size());
      for (const json::Value& element : value.array()) this->value(element);
      break;
    case json::Kind::object:
      map(value.object().size());
      for (const auto& [name, member] : value.object()) {
        key(name);
        this->value(member);
      }
      break;
  }
}

}  // namespace tidemill::wire::cbor
