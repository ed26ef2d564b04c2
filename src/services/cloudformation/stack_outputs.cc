#include "services/cloudformation/stack_outputs.h"

#include <optional>
#include <set>

#include "base/text.h"
#include "base/uuid.h"
#include "lang/templates/template_error.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

using base::cat;
namespace templates = lang::templates;

namespace {

constexpr std::string_view kSessionName = "AWSCloudFormation";

// As AWS's client of the service words it.
templates::TemplateError refusal(const wire::Error& error, std::string_view service, std::string_view request_id) {
  return templates::TemplateError(cat(error.message, " (Service: ", service, "; Status Code: ", error.http_status,
                                      "; Error Code: ", error.code, "; Request ID: ", request_id, "; Proxy: null)"));
}

std::string text_at(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : std::string();
}

// From then on `context` is a session of the role, in its account.
Task<void> assume(wire::Context& context, const std::string& role) {
  try {
    const json::Value session =
        co_await context.registry().call(context, "sts", "AssumeRole",
                                         json::Object{{"RoleArn", role}, {"RoleSessionName", kSessionName}});
    context.principal = wire::Principal(text_at(*session.find("Credentials"), "AccessKeyId"));
    context.account = std::string(wire::parse_arn_of("iam", role)->account);
  } catch (const wire::Error& error) {
    throw refusal(error, "AWSSecurityTokenService", context.request_id);
  }
}

Task<json::Value> describe(wire::Context& context, const std::string& stack) {
  try {
    co_return co_await context.registry().call(context, "cloudformation", "DescribeStacks",
                                               json::Object{{"StackName", stack}});
  } catch (const wire::Error& error) {
    throw refusal(error, "AmazonCloudFormation", context.request_id);
  }
}

}  // namespace

Task<std::string> output_of_stack(wire::Context context, templates::OutputOfStack name) {
  context.request_id = base::new_uuid();
  if (!name.role.empty()) co_await assume(context, name.role);
  if (!name.region.empty()) context.region = name.region;
  const json::Value found = co_await describe(context, name.stack);
  const json::Value* outputs = found.find("Stacks")->array().at(0).find("Outputs");
  if (outputs && outputs->is_array()) {
    for (const json::Value& one : outputs->array()) {
      if (text_at(one, "OutputKey") == name.output) co_return text_at(one, "OutputValue");
    }
  }
  throw templates::TemplateError(templates::output_not_found(name));
}

Task<void> add_outputs(const templates::Scope& scope, const json::Value& written, templates::Known& known,
                       LookUpOutput look_up) {
  const bool was_partial = known.partial;
  known.partial = true;
  std::set<templates::OutputOfStack> asked;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const templates::OutputOfStack& name : scope.needs(written, known).outputs) {
      if (name.mentions(templates::kKnownAfterApply) || name.mentions(templates::kHiddenValue)) continue;
      if (!asked.insert(name).second) continue;
      if (auto value = co_await look_up(name)) {
        known.outputs[name] = *std::move(value);
        is_new = true;  // it may name another
      }
    }
  }
  known.partial = was_partial;
}

}  // namespace tidemill::cloudformation
