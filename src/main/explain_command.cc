#include "main/explain_command.h"

#include <cstdio>

#include "base/text.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

std::string text_of(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found && found->is_string() ? found->string() : "";
}

// Prints it; true: it was allowed.
bool print_ask(const json::Value& ask, json::Array& missing) {
  const std::string decision = text_of(ask, "decision");
  std::printf("%s  %s on %s\n    %s\n", decision.c_str(), text_of(ask, "action").c_str(),
              text_of(ask, "resource").c_str(), text_of(ask, "because").c_str());
  if (const json::Value* statement = ask.find("allowed_by")) missing.push_back(*statement);
  return decision == "allowed";
}

Task<int> print_explanation(net::Loop& loop, const ExplainOptions& options) {
  ApiClient client(loop, options.client);
  std::string path = "/_tidemill/explain";
  if (!options.request_id.empty()) path += cat("?request=", encode_path_part(options.request_id));
  const json::Value found = co_await client.get("tidemill", path);
  const std::string operation = text_of(found, "operation");
  std::printf("%s by %s, request %s\n", operation.empty() ? "background work" : operation.c_str(),
              text_of(found, "principal").c_str(), text_of(found, "request_id").c_str());
  bool is_allowed = true;
  json::Array missing;
  const json::Value* asked = found.find("asked");
  for (const json::Value& ask : asked && asked->is_array() ? asked->array() : json::Array()) {
    if (!print_ask(ask, missing)) is_allowed = false;
  }
  if (const json::Value* left_out = found.find("left_out"); left_out && left_out->is_number()) {
    std::printf("and %s more, which were allowed\n", left_out->number_text().c_str());
  }
  if (!missing.empty()) {
    const json::Object policy{{"Version", "2012-10-17"}, {"Statement", std::move(missing)}};
    std::printf("the least policy that allows it:\n%s\n", json::write(policy).c_str());
  }
  co_return is_allowed ? 0 : 1;
}

}  // namespace

ExplainOptions parse_explain_options(std::span<const std::string_view> arguments, const Environment& environment) {
  ExplainOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto&) {
    if (name.starts_with("-") || !options.request_id.empty()) return false;
    options.request_id = name;
    return true;
  });
  return options;
}

int explain(const ExplainOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> { co_return co_await print_explanation(loop, options); });
}

}  // namespace tidemill
