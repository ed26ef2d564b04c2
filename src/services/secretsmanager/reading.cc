// GetSecretValue and BatchGetSecretValue.
#include "services/secretsmanager/filters.h"
#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/sealing.h"
#include "services/secretsmanager/versions.h"
#include "store/pages.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::secretsmanager {
namespace {

using base::cat;
namespace errors = shapes::errors;

constexpr int32_t kBatchMax = 20;

// The id of the version that is meant.
std::string wanted_version(const Secret& secret, const std::optional<std::string>& version,
                           const std::optional<std::string>& stage) {
  const std::string label = stage.value_or(std::string(kCurrent));
  const auto holder = secret.stages.find(label);
  if (!version) {
    if (holder != secret.stages.end()) return holder->second;
    throw errors::resource_not_found_exception(
        cat("Secrets Manager can't find the specified secret value for staging label: ", label));
  }
  if (stage && (holder == secret.stages.end() || holder->second != *version)) {
    throw errors::invalid_request_exception(
        "You provided a VersionStage that is not associated to the provided VersionId.");
  }
  return *version;
}

template <class Output>
Task<Output> read_value(store::Snapshot& reader, wire::Context& context, const Secret& secret,
                        std::optional<std::string> version_id, std::optional<std::string> stage) {
  const std::string version = wanted_version(secret, version_id, stage);
  const auto created = secret.versions.find(version);
  const auto sealed = co_await find_value(reader, secret.address, version);
  if (created == secret.versions.end() || !sealed) {
    throw errors::resource_not_found_exception(
        cat("Secrets Manager can't find the specified secret value for VersionId: ", version));
  }
  const Value value = co_await open_value(context, secret, version, *sealed);
  Output out;
  out.arn = secret.arn();
  out.name = secret.address.name;
  out.version_id = version;
  (value.is_binary ? out.secret_binary : out.secret_string) = std::string(value.bytes.bytes());
  out.version_stages = stages_of(secret, version);
  out.created_date = created->second;
  co_return out;
}

// Of what is not there, one as it would be.
Task<std::string> arn_of(store::Snapshot& reader, const wire::Context& context, std::string id) {
  try {
    co_return (co_await load_secret(reader, context, id)).arn();
  } catch (const wire::Error&) {
  }
  if (id.starts_with("arn:")) co_return id;
  co_return cat("arn:aws:secretsmanager:", context.region, ":", context.account, ":secret:", id);
}

// Judged as GetSecretValue of this one: no batch leads past a denial, nor tells what is there.
Task<shapes::SecretValueEntry> read_entry(Service& service, wire::Context& context, std::string id) {
  const auto snapshot = service.store().snapshot();
  std::string arn = co_await arn_of(*snapshot, context, id);
  co_await wire::authorize_deed(context, {"secretsmanager:GetSecretValue", std::move(arn)});
  const Secret secret = co_await load_kept_secret(*snapshot, context, std::move(id));
  co_return co_await read_value<shapes::SecretValueEntry>(*snapshot, context, secret, std::nullopt, std::nullopt);
}

Task<std::vector<std::string>> names_of_page(Service& service, const wire::Context& context,
                                             const shapes::BatchGetSecretValueInput& request,
                                             std::optional<std::string>& next) {
  std::vector<std::string> names;
  const auto snapshot = service.store().snapshot();
  try {
    next = co_await store::read_page(
        *snapshot, secrets_range(context.account, context.region),
        {request.next_token, static_cast<size_t>(request.max_results.value_or(kBatchMax))},
        [&](std::string_view key, std::string_view bytes) {
          const Secret secret = decode_secret(address_of_record(key), bytes);
          if (secret.deletion || !is_wanted(request.filters, secret)) return false;
          names.push_back(secret.address.name);
          return true;
        });
  } catch (const store::NotAPageToken&) {
    throw errors::invalid_next_token_exception("The NextToken is not valid.");
  }
  co_return names;
}

Task<std::vector<std::string>> wanted_secrets(Service& service, const wire::Context& context,
                                              const shapes::BatchGetSecretValueInput& request,
                                              std::optional<std::string>& next) {
  check_filters(request.filters);
  const bool has_filters = request.filters && !request.filters->empty();
  if (request.secret_id_list.has_value() == has_filters) {
    throw errors::invalid_parameter_exception("Either 'SecretIdList' or 'Filters' must be provided, but not both.");
  }
  if (!request.secret_id_list) co_return co_await names_of_page(service, context, request, next);
  if (request.max_results || request.next_token) {
    throw errors::invalid_parameter_exception("'MaxResults' and 'NextToken' go with 'Filters', not with 'SecretIdList'.");
  }
  co_return *request.secret_id_list;
}

}  // namespace

Task<shapes::GetSecretValueOutput> get_secret_value(Service& service, wire::Context& context,
                                                    const shapes::GetSecretValueInput& request) {
  const auto snapshot = service.store().snapshot();
  const Secret secret = co_await load_kept_secret(*snapshot, context, request.secret_id);
  co_return co_await read_value<shapes::GetSecretValueOutput>(*snapshot, context, secret, request.version_id,
                                                              request.version_stage);
}

Task<shapes::BatchGetSecretValueOutput> batch_get_secret_value(Service& service, wire::Context& context,
                                                               const shapes::BatchGetSecretValueInput& request) {
  shapes::BatchGetSecretValueOutput out;
  out.secret_values.emplace();
  out.errors.emplace();
  for (const std::string& id : co_await wanted_secrets(service, context, request, out.next_token)) {
    try {
      out.secret_values->push_back(co_await read_entry(service, context, id));
    } catch (const wire::Error& error) {
      out.errors->push_back({.secret_id = id, .error_code = error.code, .message = error.message});
    }
  }
  co_return out;
}

}  // namespace tidemill::secretsmanager
