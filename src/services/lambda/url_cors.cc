#include "services/lambda/url_cors.h"

#include <algorithm>

namespace tidemill::lambda {
namespace {

using wire::lambda::Cors;
using Texts = std::optional<std::vector<std::string>>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool has(const Texts& texts, std::string_view text) {
  return texts && std::ranges::any_of(*texts, [&](const std::string& each) { return each == "*" || same(each, text); });
}

bool is_wildcard(const Texts& texts) { return texts && std::ranges::find(*texts, "*") != texts->end(); }

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
  return all;
}

// A page with credentials must be named: no browser takes "*" then.
void allow_origin(const Cors& cors, std::string_view origin, net::Response& response) {
  const bool with_credentials = cors.allow_credentials.value_or(false);
  const bool any = is_wildcard(cors.allow_origins) && !with_credentials;
  response.headers.add("access-control-allow-origin", std::string(any ? "*" : origin));
  if (with_credentials) response.headers.add("access-control-allow-credentials", "true");
  if (cors.expose_headers && !cors.expose_headers->empty()) {
    response.headers.add("access-control-expose-headers", joined(*cors.expose_headers));
  }
}

// "*" says nothing to a browser that sends credentials.
std::string allowed(const Texts& texts, std::string_view asked, bool with_credentials) {
  return is_wildcard(texts) && with_credentials ? std::string(asked) : joined(*texts);
}

}  // namespace

std::optional<net::Response> answer_preflight(const Cors& cors, const net::Request& request) {
  const std::string_view origin = request.headers.get("origin");
  const std::string_view method = request.headers.get("access-control-request-method");
  if (request.method != "OPTIONS" || origin.empty() || method.empty()) return std::nullopt;
  net::Response response;
  response.headers.add("vary", "Origin");
  if (!has(cors.allow_origins, origin) || !has(cors.allow_methods, method)) return response;
  const bool with_credentials = cors.allow_credentials.value_or(false);
  allow_origin(cors, origin, response);
  response.headers.add("access-control-allow-methods", allowed(cors.allow_methods, method, with_credentials));
  if (cors.allow_headers && !cors.allow_headers->empty()) {
    const std::string_view asked = request.headers.get("access-control-request-headers");
    response.headers.add("access-control-allow-headers", allowed(cors.allow_headers, asked, with_credentials));
  }
  if (cors.max_age) response.headers.add("access-control-max-age", std::to_string(*cors.max_age));
  return response;
}

void apply_cors(const Cors& cors, const net::Request& request, net::Response& response) {
  std::erase_if(response.headers.entries(), [](const auto& entry) {
    constexpr std::string_view kPrefix = "access-control-";
    return same(std::string_view(entry.first).substr(0, kPrefix.size()), kPrefix);
  });
  response.headers.add("vary", "Origin");
  const std::string_view origin = request.headers.get("origin");
  if (!origin.empty() && has(cors.allow_origins, origin)) allow_origin(cors, origin, response);
}

}  // namespace tidemill::lambda
