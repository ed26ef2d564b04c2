#include "main/client.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "wire/arn.h"
#include "wire/signature.h"

namespace tidemill {

namespace {

namespace json = base::json;
using base::cat;

constexpr size_t kAnswerBytesMax = 16 << 20;
// Of what the server may take its time over: a function's 15 minutes, and a little.
constexpr auto kAnswerTimeMax = std::chrono::minutes(16);

void take_environment(ClientOptions& options, const Environment& environment) {
  const auto take = [&](const char* name, std::string& into) {
    if (const auto value = environment(name); value && !value->empty()) into = *value;
  };
  take("AWS_ENDPOINT_URL", options.endpoint);
  take("TIDEMILL_ENDPOINT", options.endpoint);
  take("AWS_DEFAULT_REGION", options.region);
  take("AWS_REGION", options.region);
  take("AWS_ACCESS_KEY_ID", options.access_key);
  take("AWS_SECRET_ACCESS_KEY", options.secret);
  take("AWS_SESSION_TOKEN", options.token);
}

// They go into a header.
void check_plain(std::string_view name, std::string_view value) {
  const bool is_plain = std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (value.empty() || !is_plain) throw UsageError(cat(name, ": \"", value, "\" cannot be one"));
}

const std::string* text_member(const json::Value& document, std::string_view name) {
  const json::Value* found = document.is_object() ? document.find(name) : nullptr;
  return found && found->is_string() ? &found->string() : nullptr;
}

json::Value answer_of(const net::HttpAnswer& answer) {
  if (answer.status == 200 && answer.body.empty()) return json::Value();  // DeleteMessage, say
  auto document = json::parse(answer.body);
  if (answer.status == 200 && document) return *std::move(document);
  const json::Value said = document ? *std::move(document) : json::Value();
  const std::string* type = text_member(said, "__type");
  std::string code = type ? type->substr(type->find('#') + 1) : std::string(answer.headers.get("x-amzn-errortype"));
  for (const char* name : {"message", "Message", "error"}) {
    if (const std::string* message = text_member(said, name)) throw CallFailed(std::move(code), *message);
  }
  throw CallFailed(std::move(code), cat("the server answered with status ", answer.status));
}

}  // namespace

void parse_client_arguments(std::span<const std::string_view> arguments, const Environment& environment,
                            ClientOptions& options, const TakeArgument& take) {
  take_environment(options, environment);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].starts_with("--") ? arguments[i].find('=') : std::string_view::npos;
    const std::string_view name = arguments[i].substr(0, equals);
    bool used = false;
    const auto value = [&] {
      used = true;
      if (equals != std::string_view::npos) return arguments[i].substr(equals + 1);
      if (i + 1 == arguments.size()) throw UsageError(cat(name, " needs a value"));
      return arguments[++i];
    };
    if (name == "--endpoint") options.endpoint = value();
    else if (name == "--region") options.region = value();
    else if (!take(name, value)) {
      throw UsageError(name.starts_with("-") ? cat("unknown flag \"", name, "\"; tidemill --help shows what there is")
                                             : cat("unexpected argument \"", name, "\""));
    }
    if (equals != std::string_view::npos && !used) throw UsageError(cat(name, " takes no value"));
  }
  check_plain("--region", options.region);
  check_plain("AWS_ACCESS_KEY_ID", options.access_key);
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
}

void go_to_region_of(std::string_view arn, ClientOptions& options) {
  const auto parsed = wire::parse_arn(arn);
  if (!parsed || parsed->region.empty()) return;
  check_plain("the region of the ARN", parsed->region);
  options.region = parsed->region;
}

net::HttpCall ApiClient::call_of(std::string_view path) const {
  net::HttpCall call;
  call.url = cat(options_.endpoint, path);
  call.answer_bytes_max = kAnswerBytesMax;
  call.timeout = kAnswerTimeMax;
  return call;
}

void ApiClient::sign(net::HttpCall& call, std::string_view service) const {
  const std::string time = wire::basic_date(base::RealClock().now());
  const std::string credential =
      cat(options_.access_key, "/", time.substr(0, 8), "/", options_.region, "/", service, "/aws4_request");
  wire::Signature signature = wire::parse_signature({.algorithm = wire::kSignatureAlgorithm,
                                                     .credential = credential,
                                                     .date = time,
                                                     .signature = "",
                                                     .token = ""});
  call.headers.add("x-amz-date", time);
  if (!options_.token.empty()) call.headers.add("x-amz-security-token", options_.token);

  net::Request request;
  request.method = call.method;
  const size_t host = call.url.find("://") + 3;
  const size_t path = std::min(call.url.find('/', host), call.url.size());
  request.target = call.url.substr(path);
  request.headers = call.headers;
  request.headers.add("host", call.url.substr(host, path - host));
  std::string names;
  for (const auto& [name, value] : request.headers.entries()) signature.signed_headers.push_back(name);
  std::ranges::sort(signature.signed_headers);
  for (const std::string_view name : signature.signed_headers) names.append(names.empty() ? "" : ";").append(name);
  const std::string canonical = wire::canonical_request(request, signature, wire::PathForm::normal,
                                                        base::hex_of(crypto::sha256(call.body)));
  const std::string key = wire::signing_key(options_.secret, signature.date, signature.region, service);
  call.headers.add("authorization",
                   cat(wire::kSignatureAlgorithm, " Credential=", credential, ", SignedHeaders=", names,
                       ", Signature=", wire::sign(key, wire::string_to_sign(signature, canonical))));
}

net::HttpCall ApiClient::json_call(std::string_view service, std::string_view version, std::string_view target,
                                   const json::Object& request) const {
  net::HttpCall call = call_of("/");
  call.headers.add("content-type", cat("application/x-amz-json-", version));
  call.headers.add("x-amz-target", std::string(target));
  call.body = json::write(request);
  sign(call, service);
  return call;
}

Task<json::Value> ApiClient::call(std::string_view service, std::string_view version, std::string_view target,
                                  const json::Object& request) {
  co_return answer_of(co_await client_.send(json_call(service, version, target, request)));
}

Task<void> ApiClient::listen(std::string_view service, std::string_view version, std::string_view target,
                             const json::Object& request, std::function<void(std::string_view piece)> on_piece) {
  constexpr int kOk = 200;
  net::HttpCall call = json_call(service, version, target, request);
  call.timeout = {};
  call.on_piece = std::move(on_piece);
  const net::HttpAnswer answer = co_await client_.send(std::move(call));
  if (answer.status != kOk) (void)answer_of(answer);
}

Task<json::Value> ApiClient::get(std::string_view service, std::string_view path) {
  net::HttpCall call = call_of(path);
  call.method = "GET";
  sign(call, service);
  co_return answer_of(co_await client_.send(std::move(call)));
}

Task<json::Value> ApiClient::post(std::string_view path, std::string body) {
  net::HttpCall call = call_of(path);
  call.headers.add("content-type", "application/json");
  call.body = std::move(body);
  sign(call, "tidemill");
  co_return answer_of(co_await client_.send(std::move(call)));
}

Task<json::Value> ApiClient::remove(std::string_view path) {
  net::HttpCall call = call_of(path);
  call.method = "DELETE";
  sign(call, "tidemill");
  co_return answer_of(co_await client_.send(std::move(call)));
}

std::string encode_path_part(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || c == ':' || c == '.';
    if (is_plain) result += c;
    else result += cat("%", base::hex(static_cast<unsigned char>(c), 2));
  }
  return result;
}

int run_client(const std::function<Task<int>(net::Loop& loop)>& body) {
  // Interrupted, or when whoever reads what it prints goes away, it just ends.
  std::signal(SIGPIPE, SIG_DFL);
  base::Activity activity;
  net::Loop loop(activity);
  int code = 1;
  std::string failure;
  {
    base::Scope scope;
    loop.post([&] {
      scope.spawn([](const std::function<Task<int>(net::Loop&)>& run, net::Loop& on, int& result,
                     std::string& why) -> Task<void> {
        try {
          result = co_await run(on);
        } catch (const std::exception& error) {
          why = error.what();
        }
        on.stop();
      }(body, loop, code, failure));
    });
    loop.run();
    const base::Executor::Enter enter(loop);
    scope.clear();
  }
  if (!failure.empty()) std::fprintf(stderr, "tidemill: %s\n", failure.c_str());
  return code;
}

}  // namespace tidemill
