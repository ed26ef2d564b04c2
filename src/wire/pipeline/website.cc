#include "wire/pipeline/website.h"

#include <algorithm>

namespace tidemill::wire {

std::optional<std::string> website_bucket(std::string_view host) {
  constexpr std::string_view kLabel = ".s3-website";
  std::string name(host.substr(0, host.find(':')));
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  // A bucket's name may hold such a label, too: the last one counts.
  const size_t label = name.rfind(kLabel);
  if (label == std::string::npos || label == 0) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(label + kLabel.size());
  const bool is_whole = rest.empty() || rest.starts_with('.') || rest.starts_with('-');
  return is_whole ? std::optional(name.substr(0, label)) : std::nullopt;
}

}  // namespace tidemill::wire
