// CreateSecret, PutSecretValue and UpdateSecret.
#include "services/secretsmanager/writing.h"

#include <algorithm>
#include <set>

#include "base/uuid.h"
#include "crypto/sealing.h"
#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/requests.h"
#include "services/secretsmanager/versions.h"

namespace tidemill::secretsmanager {
namespace {

using base::cat;
namespace errors = shapes::errors;

const std::vector<std::string> kBecomesCurrent{std::string(kCurrent)};

void check_name(const std::string& name) {
  constexpr std::string_view kOthers = "-/_+=.@!";
  const bool is_right = std::ranges::all_of(name, [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           kOthers.find(letter) != std::string_view::npos;
  });
  if (is_right) return;
  throw errors::validation_exception(
      "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!");
}

void refuse_used_name(const Secret& there) {
  if (there.deletion) {
    throw errors::invalid_request_exception(
        "You can't create this secret because a secret with this name is already scheduled for deletion.");
  }
  throw errors::resource_exists_exception(
      cat("The operation failed because the secret ", there.address.name, " already exists."));
}

// One that was made by the same request before. Throws if it is another's.
Task<Secret> made_before(Service& service, wire::Context& context, const SecretAddress& address, std::string version,
                         const std::optional<Value>& value) {
  const auto there = co_await find_secret(*service.store().snapshot(), address);
  if (!there) throw errors::resource_exists_exception(cat("The secret ", address.name, " was there and is being deleted."));
  const bool may_repeat = !there->deletion && value && there->versions.contains(version);
  if (!may_repeat || !co_await is_repeated(service.store(), context, *there, version, *value)) refuse_used_name(*there);
  co_return *there;
}

template <class Output>
Output answer(const Secret& secret, std::optional<std::string> version) {
  Output out;
  out.arn = secret.arn();
  out.name = secret.address.name;
  if constexpr (requires { out.version_id; }) out.version_id = std::move(version);
  return out;
}

}  // namespace

std::string version_id(const std::optional<std::string>& token) { return token ? *token : base::new_uuid(); }

Task<bool> is_repeated(store::Store& store, wire::Context& caller, const Secret& secret, const std::string& version,
                       const Value& value) {
  const auto sealed = co_await find_value(*store.snapshot(), secret.address, version);
  if (!sealed) co_return false;
  const Value there = co_await open_value(caller, secret, version, *sealed);
  if (there.is_binary == value.is_binary && crypto::equal_in_constant_time(there.bytes.bytes(), value.bytes.bytes())) {
    co_return true;
  }
  throw errors::resource_exists_exception(
      cat("You can't use ClientRequestToken ", version, " because that value is already in use for a version of secret ",
          secret.arn(), "."));
}

void save_version(store::Transaction& txn, Secret& secret, const std::string& version, const SealedValue& sealed,
                  base::Time now, const std::vector<std::string>& stages) {
  for (const std::string& gone : add_version(secret, version, now, stages)) erase_value(txn, secret.address, gone);
  save_value(txn, secret.address, version, sealed);
}

Task<shapes::CreateSecretOutput> create_secret(Service& service, wire::Context& context,
                                               const shapes::CreateSecretInput& request) {
  check_name(request.name);
  const auto value = value_of(request);
  const std::string version = version_id(request.client_request_token);
  const base::Time now = context.now();
  Secret fresh{.address = {context.account, context.region, request.name},
               .suffix = new_suffix(),
               .description = request.description,
               .kms_key_id = request.kms_key_id,
               .created = now,
               .changed = now};
  if (request.tags) fresh.tags = with_tags({}, *request.tags);
  const auto shown_version = value ? std::optional(version) : std::nullopt;
  std::optional<SealedValue> sealed;
  if (value && !co_await find_secret(*service.store().snapshot(), fresh.address)) {
    sealed = co_await seal_value(context, fresh, version, *value);
  }
  bool is_made = false;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    is_made = false;
    if (co_await find_secret(txn, fresh.address)) co_return;
    if (value && !sealed) co_return;  // it went between the two looks
    Secret secret = fresh;
    if (sealed) save_version(txn, secret, version, *sealed, now, kBecomesCurrent);
    save_secret(txn, secret);
    is_made = true;
  });
  if (is_made) co_return answer<shapes::CreateSecretOutput>(fresh, shown_version);
  const Secret there = co_await made_before(service, context, fresh.address, version, value);
  co_return answer<shapes::CreateSecretOutput>(there, shown_version);
}

Task<shapes::PutSecretValueOutput> put_secret_value(Service& service, wire::Context& context,
                                                    const shapes::PutSecretValueInput& request) {
  const auto value = value_of(request);
  if (!value) {
    throw errors::invalid_request_exception("You must provide either SecretString or SecretBinary.");
  }
  const std::string version = version_id(request.client_request_token);
  const std::vector<std::string> stages = request.version_stages.value_or(kBecomesCurrent);
  const base::Time now = context.now();
  Secret secret = co_await load_kept_secret(*service.store().snapshot(), context, request.secret_id);
  const std::string arn = secret.arn();
  bool is_there = false;
  bool is_current = false;  // what the value is sealed for
  while (!is_there && !is_current) {
    const auto key = secret.kms_key_id;
    const SealedValue sealed = co_await seal_value(context, secret, version, *value);
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      secret = co_await load_kept_secret(txn, context, arn);
      is_there = secret.versions.contains(version);
      is_current = secret.kms_key_id == key;
      if (is_there || !is_current) co_return;
      save_version(txn, secret, version, sealed, now, stages);
      save_secret(txn, secret);
    });
  }
  if (is_there) (void)co_await is_repeated(service.store(), context, secret, version, *value);
  auto out = answer<shapes::PutSecretValueOutput>(secret, version);
  out.version_stages = stages_of(secret, version);
  co_return out;
}

namespace {

using SealedValues = std::map<std::string, SealedValue>;  // by their versions

// All versions with labels, for the secret as it will be.
Task<SealedValues> reseal(Service& service, wire::Context& context, const Secret& before, const Secret& after) {
  SealedValues all;
  const auto snapshot = service.store().snapshot();
  for (const auto& [version, stages] : versions_to_stages(before)) {
    const auto sealed = co_await find_value(*snapshot, before.address, version);
    if (!sealed) continue;
    const Value value = co_await open_value(context, before, version, *sealed);
    all.emplace(version, co_await seal_value(context, after, version, value));
  }
  co_return all;
}

// What an update brings, as it came and sealed.
struct Update {
  const shapes::UpdateSecretInput& request;
  std::string version;
  std::optional<Value> value;
  base::Time now;
  SealedValues resealed = {};                // for a new key
  std::optional<SealedValue> sealed = {};    // the new value
};

// For the secret as it was found.
Task<void> seal(Service& service, wire::Context& context, const Secret& before, Update& update) {
  Secret after = before;
  if (update.request.kms_key_id) after.kms_key_id = update.request.kms_key_id;
  update.resealed.clear();
  if (after.kms_key_id != before.kms_key_id) update.resealed = co_await reseal(service, context, before, after);
  if (update.value) update.sealed = co_await seal_value(context, after, update.version, *update.value);
}

void save_update(store::Transaction& txn, Secret& secret, const Update& update) {
  if (update.request.kms_key_id) secret.kms_key_id = update.request.kms_key_id;
  if (update.request.description) secret.description = update.request.description;
  for (const auto& [version, value] : update.resealed) save_value(txn, secret.address, version, value);
  if (update.sealed) save_version(txn, secret, update.version, *update.sealed, update.now, kBecomesCurrent);
  secret.changed = update.now;
  save_secret(txn, secret);
}

// Whether what was sealed for a secret is right for it as it is now.
bool is_sealed_alike(const Secret& a, const Secret& b) {
  const auto versions = [](const Secret& secret) {
    std::set<std::string> labelled;
    for (const auto& [stage, version] : secret.stages) labelled.insert(version);
    return labelled;
  };
  return a.kms_key_id == b.kms_key_id && versions(a) == versions(b);
}

}  // namespace

Task<shapes::UpdateSecretOutput> update_secret(Service& service, wire::Context& context,
                                               const shapes::UpdateSecretInput& request) {
  Update update{.request = request,
                .version = version_id(request.client_request_token),
                .value = value_of(request),
                .now = context.now()};
  Secret secret = co_await load_kept_secret(*service.store().snapshot(), context, request.secret_id);
  bool is_there = false;
  bool is_current = false;  // what the values are sealed for
  while (!is_there && !is_current) {
    const Secret before = secret;
    co_await seal(service, context, before, update);
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      secret = co_await load_kept_secret(txn, context, before.arn());
      is_there = update.value && secret.versions.contains(update.version);
      is_current = is_sealed_alike(before, secret);
      if (!is_there && is_current) save_update(txn, secret, update);
    });
  }
  if (is_there) (void)co_await is_repeated(service.store(), context, secret, update.version, *update.value);
  co_return answer<shapes::UpdateSecretOutput>(secret, update.value ? std::optional(update.version) : std::nullopt);
}

Task<shapes::UpdateSecretVersionStageOutput> update_secret_version_stage(
    Service& service, wire::Context& context, const shapes::UpdateSecretVersionStageInput& request) {
  Secret secret;
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    secret = co_await load_kept_secret(txn, context, request.secret_id);
    move_stage(secret, request.version_stage, request.remove_from_version_id, request.move_to_version_id);
    secret.changed = now;
    save_secret(txn, secret);
  });
  co_return answer<shapes::UpdateSecretVersionStageOutput>(secret, std::nullopt);
}

}  // namespace tidemill::secretsmanager
