// What a repository is set to: tag mutability, scanning, its lifecycle policy and its own policy.
#include <functional>

#include "base/json.h"
#include "base/text.h"
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

std::string require_lifecycle_policy(const Repository& repository) {
  if (repository.lifecycle_policy) return *repository.lifecycle_policy;
  throw errors::lifecycle_policy_not_found_exception(
      cat("Lifecycle policy does not exist for ", place_of(repository)));
}

std::string require_policy(const Repository& repository) {
  if (repository.policy) return *repository.policy;
  throw errors::repository_policy_not_found_exception(
      cat("Repository policy does not exist for ", place_of(repository)));
}

// Whether it is an object whose member `name` is a list, or an object where that may stand for a list of one.
bool has_list(const std::string& text, std::string_view name, bool may_be_one) {
  const auto document = json::parse(text);
  const json::Value* list = document && document->is_object() ? document->find(name) : nullptr;
  return list && (list->is_array() || (may_be_one && list->is_object()));
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
  if (!has_list(request.lifecycle_policy_text, "rules", false)) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: 'Lifecycle policy validation failure: "
        "object needs the list rules'");
  }
  co_return co_await change_repository<shapes::PutLifecyclePolicyOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        repository.lifecycle_policy = request.lifecycle_policy_text;
        out.lifecycle_policy_text = request.lifecycle_policy_text;
      });
}

Task<shapes::GetLifecyclePolicyOutput> get_lifecycle_policy(Service& service, wire::Context& context,
                                                            const shapes::GetLifecyclePolicyInput& request) {
  auto [repository, out] = co_await read_repository<shapes::GetLifecyclePolicyOutput>(service, context, request);
  out.lifecycle_policy_text = require_lifecycle_policy(repository);
  co_return std::move(out);
}

Task<shapes::DeleteLifecyclePolicyOutput> delete_lifecycle_policy(Service& service, wire::Context& context,
                                                                  const shapes::DeleteLifecyclePolicyInput& request) {
  co_return co_await change_repository<shapes::DeleteLifecyclePolicyOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        out.lifecycle_policy_text = require_lifecycle_policy(repository);
        repository.lifecycle_policy.reset();
      });
}

// `force` lets a caller lock itself out, which nothing does before policies are enforced.
Task<shapes::SetRepositoryPolicyOutput> set_repository_policy(Service& service, wire::Context& context,
                                                              const shapes::SetRepositoryPolicyInput& request) {
  if (!has_list(request.policy_text, "Statement", true)) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid repository policy provided'");
  }
  co_return co_await change_repository<shapes::SetRepositoryPolicyOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        repository.policy = request.policy_text;
        out.policy_text = request.policy_text;
      });
}

Task<shapes::GetRepositoryPolicyOutput> get_repository_policy(Service& service, wire::Context& context,
                                                              const shapes::GetRepositoryPolicyInput& request) {
  auto [repository, out] = co_await read_repository<shapes::GetRepositoryPolicyOutput>(service, context, request);
  out.policy_text = require_policy(repository);
  co_return std::move(out);
}

Task<shapes::DeleteRepositoryPolicyOutput> delete_repository_policy(
    Service& service, wire::Context& context, const shapes::DeleteRepositoryPolicyInput& request) {
  co_return co_await change_repository<shapes::DeleteRepositoryPolicyOutput>(
      service, context, request, [&](Repository& repository, auto& out) {
        out.policy_text = require_policy(repository);
        repository.policy.reset();
      });
}

}  // namespace tidemill::ecr
