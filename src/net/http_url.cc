#include <algorithm>
#include <charconv>

#include "net/http_client.h"

namespace tidemill::net {
namespace {

constexpr uint16_t kPort = 80;
constexpr uint16_t kTlsPort = 443;

bool starts_with_scheme(std::string_view url, std::string_view scheme) {
  return url.size() > scheme.size() && std::equal(scheme.begin(), scheme.end(), url.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b | 0x20) : b);
         });
}

// "host", "host:port", "[v6]:port". False: it is none.
bool read_authority(std::string_view text, HttpUrl& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    url.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return false;
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const size_t colon = text.find(':');
    url.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
  }
  if (url.host.empty()) return false;
  if (port.empty()) return true;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > 65535) return false;
  url.port = static_cast<uint16_t>(number);
  return true;
}

}  // namespace

std::string HttpUrl::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : '[' + host + ']';
  if (port != (is_tls ? kTlsPort : kPort)) text += ':' + std::to_string(port);
  return text;
}

std::optional<HttpUrl> parse_http_url(std::string_view text) {
  if (text.size() > kUrlBytesMax) return std::nullopt;
  if (std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '\\'; })) return std::nullopt;
  HttpUrl url;
  url.is_tls = starts_with_scheme(text, "https://");
  if (!url.is_tls && !starts_with_scheme(text, "http://")) return std::nullopt;
  url.port = url.is_tls ? kTlsPort : kPort;
  text.remove_prefix(url.is_tls ? 8 : 7);
  text = text.substr(0, text.find('#'));
  const size_t authority_end = std::min(text.find_first_of("/?"), text.size());
  std::string_view authority = text.substr(0, authority_end);
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    auto user_info = percent_decode(authority.substr(0, at));
    if (!user_info) return std::nullopt;
    url.user_info = *std::move(user_info);
    authority.remove_prefix(at + 1);
  }
  if (!read_authority(authority, url)) return std::nullopt;
  const std::string_view target = text.substr(authority_end);
  url.target = target.starts_with('/') ? std::string(target) : '/' + std::string(target);
  return url;
}

}  // namespace tidemill::net
