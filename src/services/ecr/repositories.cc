// CreateRepository, DescribeRepositories and DeleteRepository.
#include "base/text.h"
#include "services/ecr/operations.h"
#include "services/ecr/repository.h"
#include "services/ecr/tags.h"
#include "store/pages.h"

namespace tidemill::ecr {
namespace {

using base::cat;
namespace errors = shapes::errors;

constexpr int32_t kPageUsual = 100;

}  // namespace

Task<shapes::CreateRepositoryOutput> create_repository(Service& service, wire::Context& context,
                                                       const shapes::CreateRepositoryInput& request) {
  if (request.registry_id && *request.registry_id != context.account) {
    throw errors::invalid_parameter_exception(
        cat("Invalid parameter at 'registryId' failed to satisfy constraint: 'must be the caller's account ",
            context.account, "'"));
  }
  Repository repository{.address = {context.account, context.region, request.repository_name},
                        .created = context.now()};
  repository.tag_mutability = request.image_tag_mutability.value_or(std::string(shapes::ImageTagMutability::kMutable));
  const auto& scanning = request.image_scanning_configuration;
  repository.scan_on_push = scanning && scanning->scan_on_push.value_or(false);
  if (request.tags) repository.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await find_repository(txn, repository.address)) {
      throw errors::repository_already_exists_exception(cat("The repository with name '", request.repository_name,
                                                            "' already exists in the registry with id '",
                                                            context.account, "'"));
    }
    save_repository(txn, repository);
  });
  shapes::CreateRepositoryOutput out;
  out.repository = describe(repository);
  co_return out;
}

Task<shapes::DescribeRepositoriesOutput> describe_repositories(Service& service, wire::Context& context,
                                                               const shapes::DescribeRepositoriesInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::DescribeRepositoriesOutput out;
  out.repositories.emplace();
  if (request.repository_names) {
    if (request.next_token || request.max_results) {
      throw errors::invalid_parameter_exception(
          "Invalid parameter at 'repositoryNames' failed to satisfy constraint: 'nextToken and maxResults go with all "
          "repositories'");
    }
    for (const std::string& name : *request.repository_names) {
      out.repositories->push_back(describe(co_await load_repository(*snapshot, context, name, request.registry_id)));
    }
    co_return out;
  }
  if (request.registry_id && *request.registry_id != context.account) co_return out;
  try {
    out.next_token = co_await store::read_page(
        *snapshot, repositories_range(context.account, context.region),
        {request.next_token, static_cast<size_t>(request.max_results.value_or(kPageUsual))},
        [&](std::string_view key, std::string_view bytes) {
          out.repositories->push_back(describe(repository_of(key, bytes)));
          return true;
        });
  } catch (const store::NotAPageToken&) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'nextToken' failed to satisfy constraint: 'Invalid next token'");
  }
  co_return out;
}

// Without images none is in use, so `force` asks for nothing more.
Task<shapes::DeleteRepositoryOutput> delete_repository(Service& service, wire::Context& context,
                                                       const shapes::DeleteRepositoryInput& request) {
  shapes::DeleteRepositoryOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Repository repository =
        co_await load_repository(txn, context, request.repository_name, request.registry_id);
    txn.erase(record_key(repository.address));
    out.repository = describe(repository);
  });
  co_return out;
}

}  // namespace tidemill::ecr
