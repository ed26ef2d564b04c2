#include "services/lambda/url_answer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/base64.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;

constexpr std::string_view kJson = "application/json";

bool is(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
}

// RFC 9110: a header's name is a token. Anything else could begin a header of its own at who reads it.
bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
  });
}

// What is for the server to say: what the connection is, and when it answers.
bool is_servers_own(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{"connection", "content-length", "date", "keep-alive",
                                                   "te", "trailer", "transfer-encoding", "upgrade"};
  return std::ranges::any_of(kNames, [&](std::string_view each) { return is(name, each); });
}

// Of a header or a status: strings, numbers and booleans.
std::optional<std::string> text_of(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::string: return value.string();
    case json::Kind::number: return value.number_text();
    case json::Kind::boolean: return value.boolean() ? "true" : "false";
    default: return std::nullopt;
  }
}

std::optional<int> status_of(const json::Value& value) {
  constexpr int kLeast = 200;  // what is less announces an answer, and is none
  constexpr int kMost = 599;
  const auto text = text_of(value);
  int status = 0;
  if (!text) return std::nullopt;
  const auto end = std::from_chars(text->data(), text->data() + text->size(), status);
  if (end.ec != std::errc() || end.ptr != text->data() + text->size()) return std::nullopt;
  return status >= kLeast && status <= kMost ? std::optional<int>(status) : std::nullopt;
}

bool add_headers(const json::Value& headers, net::Response& response) {
  if (headers.is_null()) return true;
  if (!headers.is_object()) return false;
  for (const auto& [name, value] : headers.object()) {
    if (is_servers_own(name)) continue;
    const auto text = text_of(value);
    if (!is_header_name(name) || (!text && !value.is_null())) return false;
    if (text) response.headers.add(name, *text);
  }
  return true;
}

bool add_cookies(const json::Value& cookies, net::Response& response) {
  if (cookies.is_null()) return true;
  if (!cookies.is_array()) return false;
  for (const json::Value& cookie : cookies.array()) {
    if (!cookie.is_string()) return false;
    response.headers.add("set-cookie", cookie.string());
  }
  return true;
}

size_t bytes_of(const net::Headers& headers) {
  size_t bytes = 0;
  for (const auto& [name, value] : headers.entries()) bytes += name.size() + value.size();
  return bytes;
}

// `content_type` for an answer that names none.
std::optional<net::Response> head_of(const json::Value& answer, std::string_view content_type) {
  static const json::Value kNull;
  const auto member = [&](std::string_view name) -> const json::Value& {
    const json::Value* found = answer.find(name);
    return found ? *found : kNull;
  };
  net::Response response;
  if (const json::Value& status = member("statusCode"); !status.is_null()) {
    const auto number = status_of(status);
    if (!number) return std::nullopt;
    response.status = *number;
  }
  if (!add_headers(member("headers"), response) || !add_cookies(member("cookies"), response)) return std::nullopt;
  if (!response.headers.find("content-type")) response.headers.add("content-type", std::string(content_type));
  if (bytes_of(response.headers) > kAnswerHeadersBytesMax) return std::nullopt;
  return response;
}

std::optional<std::string> body_of(const json::Value& answer) {
  const json::Value* body = answer.find("body");
  if (!body || body->is_null()) return "";
  if (!body->is_string()) return json::write(*body);
  const json::Value* flag = answer.find("isBase64Encoded");
  const bool is_base64 = flag && flag->is_boolean() && flag->boolean();
  return is_base64 ? base::base64_decode(body->string()) : body->string();
}

}  // namespace

net::Response url_answer(std::string payload) {
  net::Response response;
  const auto answer = json::parse(payload);
  if (answer && answer->find("statusCode")) {
    auto head = head_of(*answer, kJson);
    auto body = body_of(*answer);
    if (!head || !body) return url_function_error();
    response = *std::move(head);
    response.body = *std::move(body);
    return response;
  }
  response.headers.add("content-type", std::string(answer ? kJson : "application/octet-stream"));
  if (answer && answer->is_string()) response.body = answer->string();
  else if (answer) response.body = json::write(*answer);
  else response.body = std::move(payload);
  return response;
}

std::optional<net::Response> url_answer_head(std::string_view prelude) {
  const auto answer = json::parse(prelude);
  if (!answer || !answer->is_object()) return std::nullopt;
  return head_of(*answer, "application/octet-stream");
}

net::Response url_error(int status, std::string_view type, std::string_view message) {
  net::Response response;
  response.status = status;
  response.headers.add("content-type", std::string(kJson));
  response.headers.add("x-amzn-ErrorType", std::string(type));
  response.body = json::write(json::Object{{"Message", message}});
  return response;
}

net::Response url_function_error() {
  net::Response response;
  response.status = 502;
  response.headers.add("content-type", std::string(kJson));
  response.body = "Internal Server Error";
  return response;
}

}  // namespace tidemill::lambda
