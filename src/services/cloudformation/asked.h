// What a request asks a stack to be (CreateStack, UpdateStack, CreateChangeSet), and what that comes to: its template
// fetched, processed and checked, its parameters resolved.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/blocking_work.h"
#include "lang/templates/parameters.h"
#include "services/cloudformation/plan.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/template_text.h"
#include "wire/context.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

namespace shapes = wire::cloudformation;

struct Asked {
  std::optional<std::string> body;
  std::optional<std::string> url;
  bool use_previous = false;
  std::vector<lang::templates::GivenParameter> parameters;
  std::vector<std::string> capabilities;
  std::optional<std::vector<std::string>> resource_types;
  std::optional<base::json::TextMap> tags;
  std::optional<std::vector<std::string>> notification_arns;
  std::optional<std::string> role;
  base::json::TextMap import_types;  // of what it names in ResourcesToImport, by logical ids
};

// Throws ValidationError for keys of AWS's own: they would go on to every resource.
[[nodiscard]] base::json::TextMap checked_tags(const std::vector<shapes::Tag>& tags);

// Throws ValidationError for what only a part of AWS's values is taken of.
void require_supported(const std::optional<shapes::DeploymentConfig>& config,
                       const std::optional<shapes::RollbackConfiguration>& rollback = std::nullopt);

template <class Request>
Asked asked_of(const Request& request) {
  require_supported(request.deployment_config, request.rollback_configuration);
  Asked asked{.body = request.template_body, .url = request.template_url};
  if (request.parameters) {
    for (const shapes::Parameter& one : *request.parameters) {
      asked.parameters.push_back(
          {one.parameter_key.value_or(""), one.parameter_value, one.use_previous_value.value_or(false)});
    }
  }
  asked.capabilities = request.capabilities.value_or(std::vector<std::string>());
  asked.resource_types = request.resource_types;
  if (request.tags) asked.tags = checked_tags(*request.tags);
  asked.notification_arns = request.notification_ar_ns;
  asked.role = request.role_arn;
  if constexpr (requires { request.use_previous_template; }) {
    asked.use_previous = request.use_previous_template.value_or(false);
  }
  if constexpr (requires { request.resources_to_import; }) {
    if (request.resources_to_import) {
      for (const shapes::ResourceToImport& one : *request.resources_to_import) {
        asked.import_types[one.logical_resource_id] = one.resource_type;
      }
    }
  }
  return asked;
}

// The template that stands here instead of what the request has, if there is one.
inline void take_text(Asked& asked, std::optional<TemplateText> text) {
  if (!text) return;
  asked.body = std::move(text->original);
  asked.url.reset();
  asked.use_previous = false;
}

struct Definition {
  TemplateText text;
  Settings settings;
  std::unique_ptr<Plan> plan;
  bool has_transforms = false;
};

// What is wrong with a template that was read: that it cannot be processed, or does not fit what stands. Change sets fail
// with it, other operations refuse.
struct TemplateRefused : std::runtime_error {
  explicit TemplateRefused(const std::string& what) : std::runtime_error(what) {}
};

// `previous` is the stack that is to be changed, with its current template; null: it is new. Throws ValidationError,
// InsufficientCapabilitiesException and TemplateRefused. Macros ask for CAPABILITY_AUTO_EXPAND unless `in_change_set`.
// What takes long is done on a thread of `work`.
struct Previous {
  const Stack& stack;
  const TemplateText& text;
};
Task<Definition> define(base::BlockingWork& work, wire::Context& context, Asked asked, StackId id,
                        const Previous* previous, bool in_change_set);

// The template's text, from the request or from a bucket of this server. Throws ValidationError.
Task<std::string> fetch_template(wire::Context& context, const std::optional<std::string>& body,
                                 const std::optional<std::string>& url);

// What stands at a URL of a bucket of this server; `name`: the parameter's. Throws ValidationError.
Task<std::string> fetch_text(wire::Context& context, std::string url, std::string name, size_t bytes_max);

// Throws ValidationError for a type that Tidemill does not carry, by name. Resources that conditions leave out may be of any.
void check_types(const Plan& plan);

// Throws TemplateRefused where the plan has another type for what stands: a logical id keeps its type for life.
void require_kept_types(const Plan& plan, const Resources& resources);

}  // namespace tidemill::cloudformation
