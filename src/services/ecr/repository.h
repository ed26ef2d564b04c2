// Repositories: KeySpace::resource, (account, region, "ecr", "repository", name), as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/ecr.h"

namespace tidemill::ecr {

struct RepositoryAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] std::string uri() const;
};

struct Repository {
  RepositoryAddress address;
  base::Time created;
  std::string tag_mutability;  // wire::ecr::ImageTagMutability
  bool scan_on_push = false;
  std::optional<std::string> lifecycle_policy;
  std::optional<std::string> policy;
  base::json::TextMap tags;
};

[[nodiscard]] std::string record_key(const RepositoryAddress& address);
[[nodiscard]] store::Range repositories_range(std::string_view account, std::string_view region);

[[nodiscard]] std::string encode_repository(const Repository& repository);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Repository decode_repository(RepositoryAddress address, std::string_view bytes);
// Of what stands in repositories_range().
[[nodiscard]] Repository repository_of(std::string_view key, std::string_view bytes);

Task<std::optional<Repository>> find_repository(store::Snapshot& reader, const RepositoryAddress& address);
// Throws RepositoryNotFoundException. `registry`: the account, if the request says one.
Task<Repository> load_repository(store::Snapshot& reader, const wire::Context& context, std::string name,
                                 std::optional<std::string> registry);
void save_repository(store::Transaction& txn, const Repository& repository);

[[nodiscard]] wire::ecr::Repository describe(const Repository& repository);

}  // namespace tidemill::ecr
