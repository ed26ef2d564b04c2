#include "wire/credential_scope.h"

#include <algorithm>

#include "net/http.h"

namespace tidemill::wire {

namespace {

constexpr size_t kRegionSizeMax = 32;
constexpr size_t kAccountSize = 12;

// Takes what stands behind the last '/' off the end.
std::optional<std::string_view> take_last(std::string_view& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view last = text.substr(slash + 1);
  text = text.substr(0, slash);
  return last;
}

bool is_date(std::string_view text) {
  constexpr size_t kDateSize = 8;
  return text.size() == kDateSize && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<CredentialScope> parse_credential(std::string_view credential) {
  if (take_last(credential) != "aws4_request") return {};
  const auto service = take_last(credential);
  if (!service) return {};
  const auto region_or_date = take_last(credential);
  if (!region_or_date) return {};
  CredentialScope scope{.access_key_id = {}, .region = {}, .service = std::string(*service)};
  if (is_date(*region_or_date)) {  // version 4A has no region
    scope.access_key_id = credential;
  } else {
    const auto date = take_last(credential);
    if (!date || !is_date(*date)) return {};
    scope.region = *region_or_date;
    scope.access_key_id = credential;
  }
  if (scope.access_key_id.empty()) return {};
  return scope;
}

std::optional<CredentialScope> parse_authorization(std::string_view header) {
  constexpr std::string_view kScheme = "AWS4-";
  constexpr std::string_view kCredential = "Credential=";
  if (!header.starts_with(kScheme)) return {};
  const size_t begin = header.find(kCredential);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = header.substr(begin + kCredential.size());
  return parse_credential(rest.substr(0, rest.find_first_of(", ")));
}

std::optional<CredentialScope> parse_presigned(std::string_view target) {
  constexpr std::string_view kName = "X-Amz-Credential=";
  const size_t query = target.find('?');
  if (query == std::string_view::npos) return {};
  for (std::string_view rest = target.substr(query + 1); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (!pair.starts_with(kName)) continue;
    const auto decoded = net::percent_decode(pair.substr(kName.size()));
    return decoded ? parse_credential(*decoded) : std::nullopt;
  }
  return {};
}

bool is_region_by_form(std::string_view text) {
  return !text.empty() && text.size() <= kRegionSizeMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_account(std::string_view text) {
  return text.size() == kAccountSize && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace tidemill::wire
