#include "services/cloudformation/asked.h"

#include <algorithm>

#include "base/text.h"
#include "lang/templates/parse.h"
#include "lang/templates/template_error.h"
#include "lang/templates/transform.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/references.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/template_url.h"
#include "services/cloudformation/types/types.h"
#include "wire/tags.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;
namespace templates = lang::templates;

namespace {

constexpr size_t kStoredNamesAtOnce = 10;  // of the parameter store's GetParameters
constexpr std::string_view kWaitCondition = "AWS::CloudFormation::WaitCondition";
constexpr std::string_view kAutoExpand = "CAPABILITY_AUTO_EXPAND";
constexpr std::string_view kNamedIam = "CAPABILITY_NAMED_IAM";

using Texts = std::map<std::string, std::string, std::less<>>;

// What names stand for in the parameter store; those that are not there are missing.
Task<templates::StoredValues> fetch_stored(wire::Context& context, const std::vector<std::string>& names) {
  templates::StoredValues result;
  for (size_t from = 0; from < names.size(); from += kStoredNamesAtOnce) {
    json::Array some;
    for (size_t i = from; i < std::min(names.size(), from + kStoredNamesAtOnce); ++i) some.push_back(names[i]);
    const json::Value answer = co_await context.registry().call(
        context, "ssm", "GetParameters", json::Object{{"Names", std::move(some)}, {"WithDecryption", false}});
    const json::Value* found = answer.find("Parameters");
    if (!found || !found->is_array()) continue;
    for (const json::Value& one : found->array()) {
      const json::Value *name = one.find("Name"), *value = one.find("Value"), *selector = one.find("Selector");
      const json::Value* type = one.find("Type");
      if (!name || !value || !type) continue;
      auto& told = result[cat(name->string(), selector && selector->is_string() ? selector->string() : std::string())];
      if (type->string() != "SecureString") told = value->string();
    }
  }
  co_return result;
}

// Text of an object: by one of the forms of a URL, or s3://bucket/key.
Task<std::string> fetch_object(wire::Context& context, S3Location location, size_t bytes_max) {
  json::Object request{{"Bucket", location.bucket}, {"Key", location.key}};
  if (!location.version.empty()) request.set("VersionId", location.version);
  std::string problem;
  json::Value answer;
  try {
    answer = co_await context.registry().call(context, "s3", "GetObject", std::move(request));
  } catch (const wire::Error& error) {
    problem = error.code == "NoSuchBucket" || error.code == "NoSuchKey" || error.code == "AccessDenied"
                  ? error.message
                  : cat(error.code, ": ", error.message);
  }
  if (!problem.empty()) throw errors::validation_error(cat("S3 error: ", problem));
  const json::Value* body = answer.find("Body");
  std::string text = body && body->is_string() ? body->string() : std::string();
  if (text.size() > bytes_max) {
    throw errors::validation_error(cat("Template may not exceed ", bytes_max, " bytes in size."));
  }
  co_return text;
}

std::optional<S3Location> parse_s3_scheme(std::string_view text) {
  constexpr std::string_view kScheme = "s3://";
  if (!text.starts_with(kScheme)) return std::nullopt;
  text.remove_prefix(kScheme.size());
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return S3Location{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1)), ""};
}

Task<Texts> fetch_included(wire::Context& context, const std::vector<std::string>& locations) {
  Texts result;
  size_t bytes = 0;
  for (const std::string& text : locations) {
    auto location = parse_s3_scheme(text);
    if (!location) location = parse_template_url(text, context.endpoint);
    if (!location) throw TemplateRefused(cat("Transform AWS::Include failed with: The location parameter is not a valid S3 uri."));
    std::string problem;
    try {
      result[text] = co_await fetch_object(context, *location, templates::kTemplateUrlBytesMax);
    } catch (const wire::Error& error) {
      problem = error.message;
    }
    if (!problem.empty()) throw TemplateRefused(cat("Transform AWS::Include failed with: ", problem));
    bytes += result[text].size();
    if (bytes > templates::kProcessedBytesMax) {
      throw TemplateRefused("Transform AWS::Include failed with: The template is too large with what it includes.");
    }
  }
  co_return result;
}

bool has(const std::vector<std::string>& list, std::string_view text) { return std::ranges::find(list, text) != list.end(); }

void require_capabilities(const templates::Template& stack, const std::vector<std::string>& given) {
  const templates::Capabilities required = templates::required_capabilities(stack);
  std::string missing;
  for (const std::string& name : required.names) {
    if (has(given, name) || has(given, kNamedIam)) continue;
    missing += missing.empty() ? name : cat(", ", name);
  }
  if (missing.empty()) return;
  throw errors::insufficient_capabilities_exception(cat("Requires capabilities : [", missing, "]"));
}

void require_allowed_types(const templates::Template& stack, const std::vector<std::string>& allowed) {
  const auto matches = [](std::string_view type, std::string_view pattern) {
    if (pattern.ends_with('*')) return type.starts_with(pattern.substr(0, pattern.size() - 1));
    return type == pattern;
  };
  std::string all;
  for (const std::string& one : allowed) all += all.empty() ? one : cat(", ", one);
  for (const templates::Resource& resource : stack.resources()) {
    if (std::ranges::any_of(allowed, [&](const std::string& one) { return matches(resource.type, one); })) continue;
    throw errors::validation_error(
        cat("Resource type ", resource.type, " is not allowed by parameter ResourceTypes [", all, "]"));
  }
}

// What only the deployment can tell, it refuses; and it says what else is wrong. Throws TemplateRefused.
void check_secure_references(const Plan& plan) {
  std::vector<std::string> all;
  templates::Known nothing;
  nothing.partial = true;
  for (const templates::Resource& resource : plan.stack.resources()) {
    if (!plan.scope.is_active(resource)) continue;
    try {
      const json::Value properties = plan.scope.evaluate(json::Value(resource.properties), nothing);
      for (std::string& place : misplaced_secure_references(resource.type, properties)) all.push_back(std::move(place));
    } catch (const templates::TemplateError&) {
    }
  }
  if (!all.empty()) throw TemplateRefused(refusal_of_secure_references(all));
}

Task<Settings> resolve_settings(wire::Context& context, const Asked& asked, const templates::Template& stack,
                                const Previous* previous) {
  Settings settings;
  if (previous) {
    settings.tags = previous->stack.settings().tags;
    settings.notification_arns = previous->stack.settings().notification_arns;
    settings.role = previous->stack.settings().role;
  }
  if (asked.tags) settings.tags = *asked.tags;
  if (asked.notification_arns) {
    check_notification_arns(*asked.notification_arns);
    settings.notification_arns = *asked.notification_arns;
  }
  if (asked.role) settings.role = *asked.role;
  co_await require_role(context, settings.role);
  settings.description = stack.description();
  settings.capabilities = asked.capabilities;
  templates::ParameterValues before;
  if (previous) before = previous->stack.settings().values();
  auto values = templates::resolve_parameters(stack.parameters(), asked.parameters, previous ? &before : nullptr);
  const auto names = templates::stored_names(stack.parameters(), values);
  if (!names.empty()) templates::set_stored(stack.parameters(), values, co_await fetch_stored(context, names));
  for (const templates::Parameter& one : stack.parameters()) {
    const auto& value = values.at(one.name);
    settings.parameters.push_back({one.name, value.value, value.resolved, one.no_echo});
  }
  co_return settings;
}

// Processes the template of `definition`, whose settings stand. Throws TemplateRefused and TemplateError.
Task<json::Value> process(base::BlockingWork& work, wire::Context& context, const StackId& id,
                          const json::Value& document, Definition& definition) {
  const templates::Inputs inputs{pseudo_of(id, definition.settings), definition.settings.values()};
  const auto locations = co_await work.run_joined([&] { return templates::include_locations(document, inputs); });
  const Texts included = co_await fetch_included(context, locations);
  co_return co_await work.run_joined([&] {
    try {
      json::Value processed = templates::transform(document, inputs, included);
      definition.text.processed = json::write(processed);
      return processed;
    } catch (const templates::TransformError& error) {
      throw TemplateRefused(error.what());
    }
  });
}

}  // namespace

base::json::TextMap checked_tags(const std::vector<shapes::Tag>& tags) {
  base::json::TextMap result;
  for (const shapes::Tag& tag : tags) {
    if (wire::is_reserved_tag_key(tag.key)) {
      throw errors::validation_error("aws: prefixed tag key names are not allowed for external use.");
    }
    result[tag.key] = tag.value;
  }
  return result;
}

void require_supported(const std::optional<shapes::DeploymentConfig>& config,
                       const std::optional<shapes::RollbackConfiguration>& rollback) {
  if (rollback && rollback->monitoring_time_in_minutes.value_or(0) > 0) {
    throw errors::validation_error("Tidemill does not support MonitoringTimeInMinutes of RollbackConfiguration.");
  }
  if (config && config->disable_rollback.value_or(false)) {
    throw errors::validation_error("Tidemill does not support DisableRollback of DeploymentConfig; set DisableRollback.");
  }
}

Task<std::string> fetch_template(wire::Context& context, const std::optional<std::string>& body,
                                 const std::optional<std::string>& url) {
  if (body && url) {
    throw errors::validation_error("Either Template URL or Template Body must be specified, but not both.");
  }
  if (body) co_return *body;
  if (!url) throw errors::validation_error("Either Template URL or Template Body must be specified.");
  co_return co_await fetch_text(context, *url, "TemplateURL", templates::kTemplateUrlBytesMax);
}

Task<std::string> fetch_text(wire::Context& context, std::string url, std::string name, size_t bytes_max) {
  if (url.starts_with("s3://")) {
    throw errors::validation_error("S3 error: Domain name specified in " + url.substr(5, url.find('/', 5) - 5) +
                                   " is not a valid S3 domain");
  }
  const auto location = parse_template_url(url, context.endpoint);
  if (!location) throw errors::validation_error(cat(name, " must be a supported URL."));
  co_return co_await fetch_object(context, *location, bytes_max);
}

void check_types(const Plan& plan) {
  std::string unknown;
  for (const std::string& name : plan.graph.order()) {
    const templates::Resource& resource = *plan.stack.resource(name);
    if (find_type(resource.type)) continue;
    unknown += unknown.empty() ? resource.type : cat(", ", resource.type);
  }
  for (const std::string& name : plan.graph.order()) {
    const templates::Resource& resource = *plan.stack.resource(name);
    const auto refuse = [&](std::string_view what) {
      throw errors::validation_error(cat("Tidemill does not support ", what, ", which resource ", resource.name, " has."));
    };
    if (!resource.creation_policy.is_null() && resource.type != kWaitCondition) refuse("the CreationPolicy attribute");
    if (!resource.update_policy.is_null()) refuse("the UpdatePolicy attribute");
    if (resource.deletion_policy == "Snapshot" || resource.update_replace_policy == "Snapshot") {
      throw errors::validation_error(
          cat("Template error: resource type ", resource.type, " does not support deletion policy Snapshot"));
    }
  }
  if (!unknown.empty()) {
    throw errors::validation_error(cat("Template format error: Unrecognized resource types: [", unknown, "]"));
  }
}

void require_kept_types(const Plan& plan, const Resources& resources) {
  std::string changed;
  for (const std::string& name : plan.graph.order()) {
    const auto found = resources.find(name);
    if (found == resources.end()) continue;
    const Resource& there = found->second;
    const bool is_nothing = !there.exists() && there.leftovers.empty();
    if (is_nothing || there.type == plan.stack.resource(name)->type) continue;
    changed += changed.empty() ? name : cat(", ", name);
  }
  if (changed.empty()) return;
  throw TemplateRefused(cat("Update of resource type is not permitted. The new template modifies resource type of the "
                            "following resources: [", changed, "]"));
}

Task<Definition> define(base::BlockingWork& work, wire::Context& context, Asked asked, StackId id,
                        const Previous* previous, bool in_change_set) {
  Definition definition;
  if (asked.use_previous) {
    if (!previous) throw errors::validation_error("UsePreviousTemplate cannot be used where there is no template yet.");
    if (asked.body || asked.url) {
      throw errors::validation_error("You cannot specify both usePreviousTemplate and Template Body/URL.");
    }
    definition.text.original = previous->text.original;
  } else {
    definition.text.original = co_await fetch_template(context, asked.body, asked.url);
  }
  try {
    json::Value document = co_await work.run_joined([&] { return templates::parse(definition.text.original); });
    definition.has_transforms = templates::has_transforms(document);
    if (definition.has_transforms && !in_change_set && !has(asked.capabilities, kAutoExpand)) {
      throw errors::insufficient_capabilities_exception(cat("Requires capabilities : [", kAutoExpand, "]"));
    }
    {
      const templates::Template original = co_await work.run_joined([&] {
        return definition.has_transforms ? templates::Template::of_original(document) : templates::Template(document);
      });
      definition.settings = co_await resolve_settings(context, asked, original, previous);
    }
    if (definition.has_transforms) document = co_await process(work, context, id, document, definition);
    definition.plan = co_await work.run_joined([&] {
      auto plan = std::make_unique<Plan>(std::move(document), id, definition.settings);
      check_secure_references(*plan);
      return plan;
    });
  } catch (const templates::TemplateError& error) {
    throw errors::validation_error(error.what());
  }
  require_capabilities(definition.plan->stack, asked.capabilities);
  check_types(*definition.plan);
  if (asked.resource_types) require_allowed_types(definition.plan->stack, *asked.resource_types);
  co_return definition;
}

}  // namespace tidemill::cloudformation
