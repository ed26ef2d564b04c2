#include "services/cloudformation/existing.h"

#include "base/executor.h"
#include "base/text.h"
#include "base/uuid.h"
#include "lang/templates/dynamic_reference.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/identification.h"
#include "services/cloudformation/imports.h"
#include "services/cloudformation/resource_request.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/types/types.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;
namespace templates = lang::templates;

namespace {

// A resource that a template names itself.
struct Named {
  const Identification* identification = nullptr;  // null: it does not
  std::string id;
  json::Object properties;  // of these, what tells where it is
};

// A text that nothing has to be made for to be known; nothing: it is no such.
std::optional<std::string> static_text(const Plan& plan, const json::Value& written) {
  try {
    const auto needs = plan.scope.needs(written);
    if (!needs.empty()) return std::nullopt;
    const json::Value value = plan.scope.evaluate(written, {});
    if (!value.is_string() || value.string().empty() || !templates::dynamic_references(value).empty()) return std::nullopt;
    return value.string();
  } catch (const templates::TemplateError&) {
    return std::nullopt;  // the deployment says it
  }
}

Named named_by(const Plan& plan, const templates::Resource& resource) {
  const ResourceType* type = find_type(resource.type);
  const Identification* identification = type ? find_identification(resource.type) : nullptr;
  if (!identification || type->name_property != identification->property) return {};
  const json::Value* name = resource.properties.find(identification->property);
  auto id = name ? static_text(plan, *name) : std::nullopt;
  if (!id) return {};
  Named result{identification, *std::move(id), {}};
  if (const json::Value* beside = resource.properties.find(identification->beside)) {
    auto where = static_text(plan, *beside);
    if (!where) return {};
    result.properties.set(std::string(identification->beside), *std::move(where));
  }
  return result;
}

// What is no name for the service is nothing that stands there, and fails when it is made.
Task<bool> is_standing(Step& step, const Named& named) {
  std::exception_ptr problem;
  try {
    co_return co_await stands(step, *named.identification, named.id, named.properties);
  } catch (const wire::Error&) {
    problem = std::current_exception();
  }
  const HandlerFailure failure = handler_failure(problem, named.identification->type);
  if (failure.code == "NotFound" || failure.code == "InvalidRequest") co_return false;
  throw TemplateRefused(failure_reason(problem, named.identification->type, step.client_token(), ""));
}

Task<wire::Context> acting_context(const wire::Context& context, const Stack& stack, const Settings& settings) {
  wire::Context result(context.platform(), context.account, context.region, base::new_uuid(), context.principal);
  result.endpoint = context.endpoint;
  result.source_ip = context.source_ip;
  result.user_agent = context.user_agent;
  if (settings.role.empty()) co_return result;
  Stack acting;
  acting.id = stack.id;
  acting.target = settings;
  Acting session;
  result.principal = co_await session.principal(context.platform(), acting);
  co_return result;
}

}  // namespace

Task<base::json::TextMap> find_existing(store::Snapshot& reader, const wire::Context& context, const Stack& stack,
                                        const Definition& definition, const Resources& resources) {
  const Plan& plan = *definition.plan;
  wire::Context acting = co_await acting_context(context, stack, definition.settings);
  const auto leaving = names_left_alone(plan, resources);
  base::json::TextMap result;
  std::string unkept;
  for (const std::string& name : plan.graph.order()) {
    if (base::slice_is_over()) co_await base::give_way();
    const auto found = resources.find(name);
    if (found != resources.end() && found->second.exists()) continue;
    const templates::Resource& resource = *plan.stack.resource(name);
    const Named named = named_by(plan, resource);
    if (!named.identification) continue;
    AskingStep step(acting, resource.type);
    if (!co_await is_standing(step, named)) continue;
    const auto taken = co_await why_taken(reader, stack.id, {name, resource.type, named.id, named.properties}, leaving);
    if (taken) throw TemplateRefused(*taken);
    if (!resource.deletion_policy.starts_with("Retain")) {
      unkept += cat(unkept.empty() ? "" : ", ", name, " ({", named.identification->property, "=", named.id, "})");
    }
    result.emplace(name, named.id);
  }
  if (unkept.empty()) co_return result;
  throw TemplateRefused(
      cat("CloudFormation is attempting to import some resources because they already exist in your account. The resources "
          "must have the DeletionPolicy attribute set to 'Retain' or 'RetainExceptOnCreate' in the template for successful "
          "import. The affected resources are ", unkept));
}

}  // namespace tidemill::cloudformation
