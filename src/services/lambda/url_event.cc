#include "services/lambda/url_event.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;
using base::cat;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return result;
}

// "203.0.113.7" of "203.0.113.7:50312", "::1" of "[::1]:50312".
std::string_view host_of(std::string_view peer) {
  peer = peer.substr(0, peer.rfind(':'));
  return peer.starts_with('[') && peer.ends_with(']') ? peer.substr(1, peer.size() - 2) : peer;
}

std::string_view without_port(std::string_view host) {
  return host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
}

std::string_view port_of(std::string_view host, bool is_protected) {
  const std::string_view rest = host.substr(without_port(host).size());
  if (rest.starts_with(':')) return rest.substr(1);
  return is_protected ? "443" : "80";
}

// What a body of this type is to a function: text, or bytes in base64.
bool is_text(std::string_view content_type) {
  const std::string type = lower(content_type.substr(0, content_type.find(';')));
  constexpr std::array<std::string_view, 3> kTexts{"application/json", "application/javascript", "application/xml"};
  return type.starts_with("text/") || std::ranges::find(kTexts, type) != kTexts.end();
}

// "12/Mar/2020:19:03:58 +0000"
std::string common_log_time(base::Time now) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::array<char, 32> day{};
  std::array<char, 32> time{};
  std::strftime(day.data(), day.size(), "%d/", &parts);
  std::strftime(time.data(), time.size(), "/%Y:%H:%M:%S +0000", &parts);
  return cat(day.data(), kMonths[static_cast<size_t>(parts.tm_mon)], time.data());
}

using Joined = std::map<std::string, std::string>;

void join(Joined& all, std::string_view name, std::string_view value) {
  std::string text = base::to_utf8(value);  // a header may be any bytes
  const auto [entry, is_new] = all.try_emplace(base::to_utf8(name), text);
  if (!is_new) entry->second.append(",").append(text);
}

json::Object object_of(const Joined& all) {
  json::Object object;
  for (const auto& [name, value] : all) object.set(name, value);
  return object;
}

void split_cookies(std::string_view header, json::Array& cookies) {
  while (!header.empty()) {
    const size_t end = std::min(header.find(';'), header.size());
    std::string_view cookie = header.substr(0, end);
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    if (!cookie.empty()) cookies.emplace_back(base::to_utf8(cookie));
    header.remove_prefix(std::min(end + 1, header.size()));
  }
}

json::Object authorizer(const wire::Caller& caller, const std::string& account) {
  json::Object iam;
  iam.set("accessKey", caller.principal.name());
  iam.set("accountId", account);
  iam.set("callerId", account);
  iam.set("cognitoIdentity", nullptr);
  iam.set("principalOrgId", nullptr);
  iam.set("userArn", cat("arn:aws:iam::", account, ":root"));
  iam.set("userId", account);
  return {{"iam", std::move(iam)}};
}

json::Object request_context(const UrlRequest& url, std::string_view path) {
  const net::Headers& headers = url.request.headers;
  const std::string_view domain = without_port(headers.get("host"));
  json::Object http{{"method", url.request.method},
                    {"path", path},
                    {"protocol", url.request.version_major == 2 ? "HTTP/2" : "HTTP/1.1"},
                    {"sourceIp", host_of(url.request.peer)},
                    {"userAgent", base::to_utf8(headers.get("user-agent"))}};
  json::Object context;
  context.set("accountId", url.caller ? url.caller->account : "anonymous");
  context.set("apiId", url.url_id);
  if (url.caller) context.set("authorizer", authorizer(*url.caller, url.caller->account));
  context.set("domainName", domain);
  context.set("domainPrefix", url.url_id);
  context.set("http", std::move(http));
  context.set("requestId", url.request_id);
  context.set("routeKey", "$default");
  context.set("stage", "$default");
  context.set("time", common_log_time(url.now));
  context.set("timeEpoch", std::chrono::duration_cast<std::chrono::milliseconds>(url.now.time_since_epoch()).count());
  return context;
}

}  // namespace

UrlEvent url_event(const UrlRequest& url) {
  const net::Request& request = url.request;
  const size_t mark = std::min(url.target.find('?'), url.target.size());
  const std::string path = mark == 0 ? "/" : base::to_utf8(url.target.substr(0, mark));
  const std::string query = base::to_utf8(url.target.substr(std::min(mark + 1, url.target.size())));

  Joined headers;
  json::Array cookies;
  for (const auto& [name, value] : request.headers.entries()) {
    std::string lower_name = lower(name);
    if (lower_name == "cookie") split_cookies(value, cookies);
    else join(headers, lower_name, value);
  }
  headers["x-amzn-trace-id"] = url.trace_header;
  join(headers, "x-forwarded-for", host_of(request.peer));
  headers["x-forwarded-port"] = port_of(request.headers.get("host"), url.is_protected);
  headers["x-forwarded-proto"] = url.is_protected ? "https" : "http";

  json::Object event{{"version", "2.0"}, {"routeKey", "$default"}, {"rawPath", path}, {"rawQueryString", query}};
  if (!cookies.empty()) event.set("cookies", std::move(cookies));
  event.set("headers", object_of(headers));
  if (!query.empty()) {
    Joined parameters;
    for (const auto& [name, value] : net::parse_query(url.target)) join(parameters, name, value);
    event.set("queryStringParameters", object_of(parameters));
  }
  event.set("requestContext", request_context(url, path));
  return {std::move(event), std::string(request.headers.get("content-type"))};
}

std::string with_body(UrlEvent url, const std::string& body) {
  bool is_base64 = false;
  if (!body.empty()) {
    is_base64 = !is_text(url.content_type) || !base::is_utf8(body);
    url.event.set("body", is_base64 ? base::base64_encode(body) : body);
  }
  url.event.set("isBase64Encoded", is_base64);
  return json::write(url.event);
}

}  // namespace tidemill::lambda
