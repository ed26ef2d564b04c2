#include "wire/tags.h"

#include "net/text.h"
#include "wire/pattern.h"

namespace tidemill::wire {
namespace {

constexpr std::string_view kReservedPrefix = "aws:";

constinit Pattern tag_text(R"([\p{L}\p{Z}\p{N}_.:/=+\-@]*)");

size_t characters_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

bool is_reserved_tag_key(std::string_view key) {
  return net::equal_ignoring_case(key.substr(0, kReservedPrefix.size()), kReservedPrefix);
}

bool is_tag_text(std::string_view text) { return tag_text.matches(text); }

bool is_tag_key_size(std::string_view key) { return !key.empty() && characters_of(key) <= kTagKeyMax; }
bool is_tag_value_size(std::string_view value) { return characters_of(value) <= kTagValueMax; }

}  // namespace tidemill::wire
