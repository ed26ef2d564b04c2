#include "services/cloudformation/template_url.h"

#include <array>

namespace tidemill::cloudformation {

namespace {

std::string decode_percent(std::string_view text) {
  std::string result;
  const auto digit = [](char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    letter = static_cast<char>(letter | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      result.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// "s3.amazonaws.com", "s3.us-east-1.amazonaws.com", "s3-us-east-1.amazonaws.com", also with ".cn" behind.
bool is_aws_host(std::string_view host) {
  if (!host.starts_with("s3.") && !host.starts_with("s3-")) return false;
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

bool is_own_host(std::string_view host, std::string_view own) {
  return host == own || host == "localhost" || host == "127.0.0.1" || host == "[::1]" ||
         host == "s3.localhost" || host.ends_with(".s3.localhost.localstack.cloud");
}

// The part of a host before ".s3.…" or ".<own host>": a bucket. Empty: it names none.
std::string_view bucket_of_host(std::string_view host, std::string_view own) {
  for (size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
    const std::string_view rest = host.substr(dot + 1);
    if (is_aws_host(rest) || rest == own || rest == "localhost" || rest == "s3.localhost") return host.substr(0, dot);
  }
  return {};
}

std::string version_of_query(std::string_view query) {
  constexpr std::string_view kName = "versionId=";
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (part.starts_with(kName)) return decode_percent(part.substr(kName.size()));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
  }
  return {};
}

}  // namespace

std::optional<S3Location> parse_template_url(std::string_view url, std::string_view endpoint) {
  const auto strip_scheme = [](std::string_view text) -> std::optional<std::string_view> {
    for (const std::string_view scheme : {"https://", "http://"}) {
      if (text.starts_with(scheme)) return text.substr(scheme.size());
    }
    return std::nullopt;
  };
  const auto rest = strip_scheme(url);
  if (!rest) return std::nullopt;
  const std::string_view own = without_port(strip_scheme(endpoint).value_or("").substr(0, endpoint.find('/', 8)));
  const size_t slash = rest->find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view host = without_port(rest->substr(0, slash));
  std::string_view path = rest->substr(slash + 1);
  path = path.substr(0, path.find('#'));
  const size_t mark = path.find('?');
  const std::string_view query = mark == std::string_view::npos ? std::string_view() : path.substr(mark + 1);
  path = path.substr(0, mark);

  S3Location location{.version = version_of_query(query)};
  if (is_aws_host(host) || is_own_host(host, own)) {
    const size_t end = path.find('/');
    if (end == std::string_view::npos) return std::nullopt;
    location.bucket = decode_percent(path.substr(0, end));
    location.key = decode_percent(path.substr(end + 1));
  } else {
    location.bucket = bucket_of_host(host, own);
    location.key = decode_percent(path);
  }
  if (location.bucket.empty() || location.key.empty()) return std::nullopt;
  return location;
}

}  // namespace tidemill::cloudformation
