// DescribeSecret, ListSecrets and ListSecretVersionIds.
#include "services/secretsmanager/filters.h"
#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/requests.h"
#include "services/secretsmanager/versions.h"
#include "store/pages.h"

namespace tidemill::secretsmanager {
namespace {

namespace errors = shapes::errors;

constexpr int32_t kPageMax = 100;

wire::Error not_a_token() { return errors::invalid_next_token_exception("The NextToken is not valid."); }

template <class Shape>
Shape describe(const Secret& secret) {
  Shape shown;
  shown.arn = secret.arn();
  shown.name = secret.address.name;
  shown.description = secret.description;
  shown.kms_key_id = secret.kms_key_id;
  shown.last_changed_date = secret.changed;
  shown.deleted_date = secret.deletion;
  if (!secret.tags.empty()) shown.tags = tag_list(secret.tags);
  auto versions = versions_to_stages(secret);
  if constexpr (requires { shown.version_ids_to_stages; }) {
    if (!versions.empty()) shown.version_ids_to_stages = std::move(versions);
  } else {
    if (!versions.empty()) shown.secret_versions_to_stages = std::move(versions);
  }
  shown.created_date = secret.created;
  return shown;
}

}  // namespace

Task<shapes::DescribeSecretOutput> describe_secret(Service& service, wire::Context& context,
                                                   const shapes::DescribeSecretInput& request) {
  const auto snapshot = service.store().snapshot();
  co_return describe<shapes::DescribeSecretOutput>(co_await load_secret(*snapshot, context, request.secret_id));
}

Task<shapes::ListSecretsOutput> list_secrets(Service& service, wire::Context& context,
                                             const shapes::ListSecretsInput& request) {
  check_filters(request.filters);
  const auto snapshot = service.store().snapshot();
  shapes::ListSecretsOutput out;
  out.secret_list.emplace();
  try {
    out.next_token = co_await store::read_page(
        *snapshot, secrets_range(context.account, context.region),
        {request.next_token, static_cast<size_t>(request.max_results.value_or(kPageMax))},
        [&](std::string_view key, std::string_view bytes) {
          const Secret secret = decode_secret(address_of_record(key), bytes);
          if (secret.deletion && !request.include_planned_deletion.value_or(false)) return false;
          if (!is_wanted(request.filters, secret)) return false;
          out.secret_list->push_back(describe<shapes::SecretListEntry>(secret));
          return true;
        });
  } catch (const store::NotAPageToken&) {
    throw not_a_token();
  }
  co_return out;
}

Task<shapes::ListSecretVersionIdsOutput> list_secret_version_ids(Service& service, wire::Context& context,
                                                                 const shapes::ListSecretVersionIdsInput& request) {
  const auto snapshot = service.store().snapshot();
  const Secret secret = co_await load_secret(*snapshot, context, request.secret_id);
  if (request.next_token && !secret.versions.contains(*request.next_token)) throw not_a_token();
  const auto most = static_cast<size_t>(request.max_results.value_or(kPageMax));
  shapes::ListSecretVersionIdsOutput out;
  out.arn = secret.arn();
  out.name = secret.address.name;
  out.versions.emplace();
  for (const auto& [id, created] : secret.versions) {
    if (request.next_token && id < *request.next_token) continue;
    auto stages = stages_of(secret, id);
    if (stages.empty() && !request.include_deprecated.value_or(false)) continue;
    if (out.versions->size() == most) {
      out.next_token = id;
      break;
    }
    shapes::SecretVersionsListEntry& shown = out.versions->emplace_back();
    shown.version_id = id;
    if (!stages.empty()) shown.version_stages = std::move(stages);
    shown.created_date = created;
  }
  co_return out;
}

}  // namespace tidemill::secretsmanager
