#include "services/states/tasks/http_task.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include "base/text.h"
#include "services/states/tasks/failures.h"
#include "services/states/tasks/optimised.h"
#include "wire/arn.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::states::tasks {
namespace {

using base::cat;

constexpr size_t kAnswerBytesMax = 1 << 20;  // what is beyond a result's limit is refused by that limit's name
constexpr std::string_view kDenied = "AccessDeniedException";
constexpr size_t kFormBytesMax = 1 << 20;
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kJsonType = "application/json";
constexpr auto kMethods = std::to_array<std::string_view>({"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"});
// Those that say how long a message is, or to whom it goes, and those that AWS keeps for itself.
constexpr auto kOwnHeaders =
    std::to_array<std::string_view>({"connection", "content-length", "expect", "host", "keep-alive", "proxy-connection",
                                     "range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via"});

[[noreturn]] void refuse(std::string text) { throw std::invalid_argument(std::move(text)); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

const std::string& text_of(const json::Value& parameters, std::string_view name) {
  const json::Value* value = parameters.find(name);
  if (!value || !value->is_string()) refuse(cat("The field \"", name, "\" must be a string"));
  return value->string();
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
  });
}

std::string plain_text(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

void append_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || c == '.' || c == '~';
    if (is_plain)
      out += c;
    else
      out += cat("%", base::hex(static_cast<unsigned char>(c), 2));
  }
}

void append_pair(std::string& out, std::string_view key, std::string_view value) {
  if (!out.empty() && out.back() != '?') out += '&';
  append_encoded(out, key);
  out += '=';
  append_encoded(out, value);
  // Names within names are repeated for each value: a form may be far longer than its document.
  if (out.size() > kFormBytesMax) refuse("The body is too long as a form");
}

void append_form(std::string& out, const std::string& key, const json::Value& value, std::string_view format);

void append_array(std::string& out, const std::string& key, const json::Array& array, std::string_view format) {
  if (format == "COMMAS") {
    std::string joined;
    for (const json::Value& element : array) joined += cat(joined.empty() ? "" : ",", plain_text(element));
    return append_pair(out, key, joined);
  }
  if (format == "NONE") return append_pair(out, key, json::write(array));
  for (size_t i = 0; i < array.size(); ++i) {
    const std::string suffix = format == "INDICES" ? cat("[", i, "]") : format == "BRACKETS" ? "[]" : "";
    append_form(out, key + suffix, array[i], format);
  }
}

void append_form(std::string& out, const std::string& key, const json::Value& value, std::string_view format) {
  if (value.is_array()) return append_array(out, key, value.array(), format);
  if (!value.is_object()) return append_pair(out, key, value.is_null() ? "" : plain_text(value));
  for (const auto& [name, member] : value.object()) append_form(out, cat(key, "[", name, "]"), member, format);
}

// What the connection adds stands last, and over what the task says.
std::string url_of(const json::Value& parameters, const engine::ConnectionParts& connection) {
  std::string url = text_of(parameters, "ApiEndpoint");
  std::string query;
  if (const json::Value* given = parameters.find("QueryParameters"); given && !given->is_null()) {
    if (!given->is_object()) refuse("The field \"QueryParameters\" must be an object");
    for (const auto& [key, value] : given->object()) {
      if (value.is_array()) {
        for (const json::Value& one : value.array()) append_pair(query, key, plain_text(one));
      } else {
        append_pair(query, key, plain_text(value));
      }
    }
  }
  for (const auto& [key, value] : connection.query) append_pair(query, key, value);
  if (!query.empty()) url += cat(url.contains('?') ? "&" : "?", query);
  if (!net::parse_http_url(url)) refuse("The field \"ApiEndpoint\" must be a URL of http or https");
  return url;
}

void add_headers(net::HttpCall& call, const json::Value& parameters, const engine::ConnectionParts& connection) {
  json::Object headers;
  if (const json::Value* given = parameters.find("Headers"); given && !given->is_null()) {
    if (!given->is_object()) refuse("The field \"Headers\" must be an object");
    for (const auto& [name, value] : given->object()) {
      const std::string key = lower(name);
      const bool is_own = std::ranges::find(kOwnHeaders, key) != kOwnHeaders.end();
      if (is_own || key.starts_with("x-amz") || key.starts_with("x-forwarded")) {
        refuse(cat("The header ", name, " cannot be set by a task"));
      }
      if (!is_header_name(name)) refuse(cat("The header ", name, " is no name of a header"));
      std::string text = plain_text(value);
      if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
        refuse(cat("The header ", name, " has a control character"));
      }
      headers.set(key, std::move(text));
    }
  }
  for (const auto& [name, value] : connection.headers) headers.set(lower(name), value);
  for (const auto& [name, value] : headers) call.headers.add(name, value.string());
}

std::string_view encoding_of(const json::Value& parameters, std::string_view& array_format) {
  const json::Value* transform = parameters.find("Transform");
  if (!transform || transform->is_null()) return "NONE";
  const json::Value* encoding = transform->find("RequestBodyEncoding");
  if (!encoding || !encoding->is_string()) refuse("The field \"RequestBodyEncoding\" must be NONE or URL_ENCODED");
  if (const json::Value* options = transform->find("RequestEncodingOptions")) {
    const json::Value* format = options->find("ArrayFormat");
    if (format && format->is_string()) array_format = format->string();
  }
  return encoding->string();
}

void add_body(net::HttpCall& call, const json::Value& parameters, const engine::ConnectionParts& connection) {
  const json::Value* given = parameters.find("RequestBody");
  json::Value body = given ? *given : json::Value();
  if (!connection.body.empty()) {
    if (body.is_null()) body = json::Object();
    if (!body.is_object()) refuse("The connection adds to bodies that are objects only");
    for (const auto& [key, value] : connection.body) body.object().set(key, value);
  }
  if (body.is_null()) return;
  std::string_view array_format = "INDICES";
  const std::string_view encoding = encoding_of(parameters, array_format);
  if (encoding != "URL_ENCODED" && encoding != "NONE") {
    refuse("The field \"RequestBodyEncoding\" must be NONE or URL_ENCODED");
  }
  const bool is_form = encoding == "URL_ENCODED";
  call.body = is_form ? url_encoded(body, array_format) : plain_text(body);
  if (is_form)
    call.headers.set("content-type", std::string(kFormType));
  else if (!call.headers.find("content-type"))
    call.headers.add("content-type", std::string(kJsonType));
}

bool is_json(const net::Headers& headers) {
  const auto type = headers.find("content-type");
  return type && lower(*type).contains("json");
}

TaskOutcome outcome_of(const net::HttpAnswer& answer) {
  if (answer.status < 200 || answer.status >= 300) {
    return Failed{cat("States.Http.StatusCode.", answer.status), answer.reason};
  }
  json::Object headers;
  for (const auto& [name, value] : answer.headers.entries()) {
    json::Value* values = headers.find(lower(name));
    if (!values) values = &headers.set(lower(name), json::Array());
    values->array().push_back(value);
  }
  json::Value body = answer.body;
  if (is_json(answer.headers)) {
    if (auto parsed = json::parse(answer.body)) body = *std::move(parsed);
  }
  return Succeeded{json::Object{{"Headers", std::move(headers)},
                                {"ResponseBody", std::move(body)},
                                {"StatusCode", answer.status},
                                {"StatusText", answer.reason}}};
}

std::string connection_arn(const json::Value& parameters) {
  for (const std::string_view name : {"Authentication", "InvocationConfig"}) {
    const json::Value* given = parameters.find(name);
    const json::Value* arn = given ? given->find("ConnectionArn") : nullptr;
    if (arn && arn->is_string()) return arn->string();
  }
  return "";
}

Task<bool> may(const wire::Context& context, wire::Deed deed) {
  try {
    co_await wire::authorize_deed(context, std::move(deed));
  } catch (const wire::Error& error) {
    if (error.code != kDenied) throw;
    co_return false;
  }
  co_return true;
}

// Why the role may not make the call; nothing: it may.
Task<std::optional<Failed>> refusal(const TaskCall& call, const wire::Context& context, std::string connection) {
  const std::string& endpoint = text_of(call.parameters, "ApiEndpoint");
  wire::Deed invoking{"states:InvokeHTTPEndpoint",
                      machine_of(call.execution_arn),
                      {{"states:HTTPMethod", text_of(call.parameters, "Method")}, {"states:HTTPEndpoint", endpoint}}};
  if (!co_await may(context, std::move(invoking))) {
    co_return Failed{
        "States.TaskFailed",
        cat("AWS Step Functions is not authorized to perform states:InvokeHTTPEndpoint on API Endpoint ", endpoint,
            ". Ensure that the StateMachine role contains the states:InvokeHTTPEndpoint permission "
            "for the given API Endpoint")};
  }
  wire::Deed reading{"events:RetrieveConnectionCredentials", connection};
  if (!co_await may(context, std::move(reading))) {
    co_return Failed{
        "Events.ConnectionResource.AccessDenied",
        cat(call.role_arn,
            " is not authorized to perform: events:RetrieveConnectionCredentials on resource: ", connection)};
  }
  co_return std::nullopt;
}

}  // namespace

std::string url_encoded(const json::Value& body, std::string_view array_format) {
  constexpr std::string_view kFormats[] = {"INDICES", "REPEAT", "COMMAS", "BRACKETS", "NONE"};
  if (std::ranges::find(kFormats, array_format) == std::end(kFormats)) {
    refuse("The field \"ArrayFormat\" must be INDICES, REPEAT, COMMAS, BRACKETS or NONE");
  }
  if (!body.is_object()) refuse("A body that is URL_ENCODED must be an object");
  std::string out;
  for (const auto& [name, value] : body.object()) append_form(out, name, value, array_format);
  return out;
}

net::HttpCall http_call(const json::Value& parameters, const engine::ConnectionParts& connection) {
  net::HttpCall call{.method = text_of(parameters, "Method"), .url = url_of(parameters, connection)};
  if (std::ranges::find(kMethods, call.method) == kMethods.end()) {
    refuse(cat("The field \"Method\" cannot be ", call.method));
  }
  call.timeout = kHttpTimeout;
  call.answer_bytes_max = kAnswerBytesMax;
  add_headers(call, parameters, connection);
  call.headers.set("User-Agent", "Amazon|StepFunctions|HttpInvoke");
  add_body(call, parameters, connection);
  return call;
}

Task<TaskOutcome> HttpTasks::call(const TaskCall& call, const wire::Context& context) const {
  const std::string arn = connection_arn(call.parameters);
  if (arn.empty()) co_return runtime_failure("The field \"Authentication\" must have a \"ConnectionArn\"");
  try {
    if (auto refused = co_await refusal(call, context, arn)) co_return *std::move(refused);
    const auto parsed = wire::parse_arn(arn);
    const bool is_own = parsed && parsed->account == call.account;
    const auto connection = is_own ? co_await find_connection_(arn) : std::nullopt;
    if (!connection) co_return runtime_failure(cat("The connection ", arn, " does not exist or is not authorized"));
    auto answer = co_await send_(http_call(call.parameters, *connection));
    if (engine::is_refusal(answer.status) && connection->refused) connection->refused();
    co_return outcome_of(std::move(answer));
  } catch (const std::invalid_argument& error) {
    co_return runtime_failure(error.what());
  } catch (const net::HttpFailed& error) {
    co_return Failed{"States.Http.Socket", error.what()};
  }
}

}  // namespace tidemill::states::tasks
