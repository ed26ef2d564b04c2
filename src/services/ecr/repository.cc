#include "services/ecr/repository.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/text.h"
#include "store/resources.h"

namespace tidemill::ecr {

using base::cat;

namespace {

constexpr store::ResourceType kRepositories{"ecr", "repository"};

constexpr auto kRepositoryMembers = [](auto& member, auto& repository) {
  member("created_us", repository.created);
  member("tag_mutability", repository.tag_mutability);
  member("scan_on_push", repository.scan_on_push);
  member("lifecycle_policy", repository.lifecycle_policy);
  member("policy", repository.policy);
  member("tags", repository.tags);
};

}  // namespace

std::string RepositoryAddress::arn() const { return cat("arn:aws:ecr:", region, ":", account, ":repository/", name); }

std::string RepositoryAddress::uri() const { return cat(account, ".dkr.ecr.", region, ".amazonaws.com/", name); }

std::string record_key(const RepositoryAddress& address) {
  return store::resource_key(kRepositories, address.account, address.region, address.name);
}

store::Range repositories_range(std::string_view account, std::string_view region) {
  return store::resources_range(kRepositories, account, region);
}

std::string encode_repository(const Repository& repository) { return json::encode(repository, kRepositoryMembers); }

Repository decode_repository(RepositoryAddress address, std::string_view bytes) {
  return json::decode("repository", bytes, kRepositoryMembers, Repository{.address = std::move(address)});
}

Repository repository_of(std::string_view key, std::string_view bytes) {
  auto address = store::resource_of_key(kRepositories, key);
  if (!address) throw std::runtime_error("a repository's record is damaged");
  return decode_repository({std::move(address->account), std::move(address->region), std::move(address->name)}, bytes);
}

Task<std::optional<Repository>> find_repository(store::Snapshot& reader, const RepositoryAddress& address) {
  const auto bytes = co_await reader.get(record_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_repository(address, *bytes);
}

Task<Repository> load_repository(store::Snapshot& reader, const wire::Context& context, std::string name,
                                 std::optional<std::string> registry) {
  const std::string account = registry.value_or(context.account);
  std::optional<Repository> found;
  if (account == context.account) found = co_await find_repository(reader, {account, context.region, name});
  if (!found) {
    throw wire::ecr::errors::repository_not_found_exception(
        cat("The repository with name '", name, "' does not exist in the registry with id '", account, "'"));
  }
  co_return *std::move(found);
}

void save_repository(store::Transaction& txn, const Repository& repository) {
  txn.put(record_key(repository.address), encode_repository(repository));
}

wire::ecr::Repository describe(const Repository& repository) {
  wire::ecr::Repository shown;
  shown.repository_arn = repository.address.arn();
  shown.registry_id = repository.address.account;
  shown.repository_name = repository.address.name;
  shown.repository_uri = repository.address.uri();
  shown.created_at = repository.created;
  shown.image_tag_mutability = repository.tag_mutability;
  shown.image_scanning_configuration = {.scan_on_push = repository.scan_on_push};
  shown.encryption_configuration = {.encryption_type = "AES256"};
  return shown;
}

}  // namespace tidemill::ecr
