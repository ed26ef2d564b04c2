#include "wire/pipeline/function_url.h"

#include <algorithm>

namespace tidemill::wire {

namespace {

bool is_id(std::string_view text) {
  constexpr size_t kIdSizeMax = 63;  // a label's
  return !text.empty() && text.size() <= kIdSizeMax &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

}  // namespace

std::optional<UrlAddress> url_address(std::string_view host, std::string_view target) {
  constexpr std::string_view kLabel = ".lambda-url.";
  if (const size_t dot = host.find('.'); dot != std::string_view::npos && host.substr(dot).starts_with(kLabel)) {
    const std::string_view id = host.substr(0, dot);
    if (is_id(id)) return UrlAddress{id, target, false};
  }
  if (!target.starts_with(kUrlPathStart)) return std::nullopt;
  target.remove_prefix(kUrlPathStart.size());
  const size_t end = std::min(target.find_first_of("/?"), target.size());
  if (!is_id(target.substr(0, end))) return std::nullopt;
  return UrlAddress{target.substr(0, end), target.substr(end), true};
}

}  // namespace tidemill::wire
