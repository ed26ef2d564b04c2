// What a repository is set to: tag mutability, scanning, its lifecycle policy and its own policy.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/ecr/operations.h"
#include "services/ecr/repository.h"

namespace tidemill::ecr {
namespace {

using base::cat;
namespace errors = shapes::errors;

// `change` may be called more than once, each time with the repository as it was.
template <class Output, class Input, class Change>
Task<Output> change_repository(Service& service, const wire::Context& context, const Input& request, Change change) {
  Output out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Repository repository = co_await load_repository(txn, context, request.repository_name, request.registry_id);
    change(repository, out);
    save_repository(txn, repository);
    out.registry_id = repository.address.account;
    out.repository_name = repository.address.name;
  });
  co_return out;
}

template <class Output, class Input>
Task<std::pair<Repository, Output>> read_repository(Service& service, const wire::Context& context,
                                                    const Input& request) {
  const auto snapshot = service.store().snapshot();
  Repository repository = co_await load_repository(*snapshot, context, request.repository_name, request.registry_id);
  Output out;
  out.registry_id = repository.address.account;
  out.repository_name = repository.address.name;
  co_return std::pair(std::move(repository), std::move(out));
}

std::string place_of(const Repository& repository) {
  return cat("the repository with name '", repository.address.name, "' in the registry with id '",
             repository.address.account, "'");
}

// One of the documents that a repository may have.
struct Document {
  std::optional<std::string> Repository::*place;
  std::string_view name;
  wire::Error (*not_there)(std::string message);
};
constexpr Document kLifecyclePolicy{&Repository::lifecycle_policy, "Lifecycle policy",
                                    errors::lifecycle_policy_not_found_exception};
constexpr Document kPolicy{&Repository::policy, "Repository policy", errors::repository_policy_not_found_exception};

std::string require(const Repository& repository, const Document& document) {
  if (const auto& text = repository.*document.place) return *text;
  throw document.not_there(cat(document.name, " does not exist for ", place_of(repository)));
}

// What sets, tells and takes away a document is the same for all; `told` is where the answer has it.
template <class Output, class Input>
Task<Output> set_document(Service& service, const wire::Context& context, const Input& request,
                          const Document& document, const std::string& text, std::optional<std::string> Output::*told) {
  return change_repository<Output>(service, context, request,
                                   [&document, &text, told](Repository& repository, auto& out) {
                                     repository.*document.place = text;
                                     out.*told = text;
                                   });
}

template <class Output, class Input>
Task<Output> get_document(Service& service, const wire::Context& context, const Input& request,
                          const Document& document, std::optional<std::string> Output::*told) {
  auto [repository, out] = co_await read_repository<Output>(service, context, request);
  out.*told = require(repository, document);
  co_return std::move(out);
}

template <class Output, class Input>
Task<Output> delete_document(Service& service, const wire::Context& context, const Input& request,
                             const Document& document, std::optional<std::string> Output::*told) {
  return change_repository<Output>(service, context, request, [&document, told](Repository& repository, auto& out) {
    out.*told = require(repository, document);
    (repository.*document.place).reset();
  });
}

template <class Output>
Task<Output> with_principals_shown(const wire::Context& context, Output out) {
  if (out.policy_text) out.policy_text = co_await engine::with_arns(context, *std::move(out.policy_text));
  co_return out;
}

// Whether it is an object whose member `name` is a list.
bool has_list(const std::string& text, std::string_view name) {
  const auto document = json::parse(text);
  const json::Value* list = document && document->is_object() ? document->find(name) : nullptr;
  return list && list->is_array();
}

}  // namespace

Task<shapes::PutImageScanningConfigurationOutput> put_image_scanning_configuration(
    Service& service, wire::Context& context, const shapes::PutImageScanningConfigurationInput& request) {
  const bool scans = request.image_scanning_configuration.scan_on_push.value_or(false);
  co_return co_await change_repository<shapes::PutImageScanningConfigurationOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        repository.scan_on_push = scans;
        out.image_scanning_configuration = {.scan_on_push = scans};
      });
}

Task<shapes::PutImageTagMutabilityOutput> put_image_tag_mutability(Service& service, wire::Context& context,
                                                                   const shapes::PutImageTagMutabilityInput& request) {
  co_return co_await change_repository<shapes::PutImageTagMutabilityOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        repository.tag_mutability = request.image_tag_mutability;
        out.image_tag_mutability = request.image_tag_mutability;
      });
}

Task<shapes::PutLifecyclePolicyOutput> put_lifecycle_policy(Service& service, wire::Context& context,
                                                            const shapes::PutLifecyclePolicyInput& request) {
  if (!has_list(request.lifecycle_policy_text, "rules")) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: 'Lifecycle policy validation failure: "
        "object needs the list rules'");
  }
  co_return co_await set_document(service, context, request, kLifecyclePolicy, request.lifecycle_policy_text,
                                  &shapes::PutLifecyclePolicyOutput::lifecycle_policy_text);
}

Task<shapes::GetLifecyclePolicyOutput> get_lifecycle_policy(Service& service, wire::Context& context,
                                                            const shapes::GetLifecyclePolicyInput& request) {
  return get_document(service, context, request, kLifecyclePolicy,
                      &shapes::GetLifecyclePolicyOutput::lifecycle_policy_text);
}

Task<shapes::DeleteLifecyclePolicyOutput> delete_lifecycle_policy(Service& service, wire::Context& context,
                                                                  const shapes::DeleteLifecyclePolicyInput& request) {
  return delete_document(service, context, request, kLifecyclePolicy,
                         &shapes::DeleteLifecyclePolicyOutput::lifecycle_policy_text);
}

// `force` lets a caller lock itself out, which nothing does before policies are enforced.
Task<shapes::SetRepositoryPolicyOutput> set_repository_policy(Service& service, wire::Context& context,
                                                              const shapes::SetRepositoryPolicyInput& request) {
  if (!lang::policies::Policy::parse_of_resource(request.policy_text)) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid repository policy provided'");
  }
  const std::string kept = co_await engine::with_ids(context, request.policy_text, [](std::string_view) {
    return errors::invalid_parameter_exception(
        "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Principal not found'");
  });
  co_return co_await with_principals_shown(
      context, co_await set_document(service, context, request, kPolicy, kept,
                                     &shapes::SetRepositoryPolicyOutput::policy_text));
}

Task<shapes::GetRepositoryPolicyOutput> get_repository_policy(Service& service, wire::Context& context,
                                                              const shapes::GetRepositoryPolicyInput& request) {
  co_return co_await with_principals_shown(
      context,
      co_await get_document(service, context, request, kPolicy, &shapes::GetRepositoryPolicyOutput::policy_text));
}

Task<shapes::DeleteRepositoryPolicyOutput> delete_repository_policy(
    Service& service, wire::Context& context, const shapes::DeleteRepositoryPolicyInput& request) {
  co_return co_await with_principals_shown(
      context,
      co_await delete_document(service, context, request, kPolicy, &shapes::DeleteRepositoryPolicyOutput::policy_text));
}

}  // namespace tidemill::ecr
