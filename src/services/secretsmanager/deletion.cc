// DeleteSecret, RestoreSecret, and the end of secrets.
#include "services/secretsmanager/deletion.h"

#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/secret.h"
#include "store/timer.h"

namespace tidemill::secretsmanager {
namespace {

namespace errors = shapes::errors;

constexpr int64_t kWindowUsual = 30;  // days
constexpr int64_t kWindowMin = 7;
constexpr int64_t kWindowMax = 30;

Task<void> delete_secret_now(store::Store& store, const store::Timer& timer) {
  const SecretAddress address = address_of_record(timer.id);
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await store::finish_timer(txn, timer)) erase_secret(txn, address);
  });
}

int64_t window_of(const shapes::DeleteSecretInput& request) {
  const bool is_forced = request.force_delete_without_recovery.value_or(false);
  if (is_forced && request.recovery_window_in_days) {
    throw errors::invalid_parameter_exception(
        "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
  }
  const int64_t days = request.recovery_window_in_days.value_or(kWindowUsual);
  if (days < kWindowMin || days > kWindowMax) {
    throw errors::invalid_parameter_exception(
        base::cat("The RecoveryWindowInDays value must be between ", kWindowMin, " and ", kWindowMax, " days (inclusive)."));
  }
  return is_forced ? 0 : days;
}

// What is there is gone at once; what is not there is gone already.
Task<shapes::DeleteSecretOutput> delete_by_force(Service& service, wire::Context& context, const std::string& id) {
  shapes::DeleteSecretOutput out;
  out.deletion_date = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret{.address = {context.account, context.region, id}, .suffix = new_suffix()};
    try {
      secret = co_await load_secret(txn, context, id);
    } catch (const wire::Error&) {
      out.name = id;
      out.arn = id.starts_with("arn:") ? id : secret.arn();
      co_return;
    }
    out.name = secret.address.name;
    out.arn = secret.arn();
    erase_secret(txn, secret.address);
    co_await store::cancel_timer(txn, {kDeletionTimer}, record_key(secret.address));
  });
  co_return out;
}

}  // namespace

void delete_secrets_by(engine::TimerService& timers, store::Store& store) {
  timers.handle(store::TimerKind{kDeletionTimer},
                [&store](const store::Timer& timer) { return delete_secret_now(store, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<shapes::DeleteSecretOutput> delete_secret(Service& service, wire::Context& context,
                                               const shapes::DeleteSecretInput& request) {
  const int64_t days = window_of(request);
  if (days == 0) co_return co_await delete_by_force(service, context, request.secret_id);
  const base::Time due = context.now() + std::chrono::days(days);
  shapes::DeleteSecretOutput out;
  out.deletion_date = due;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret = co_await load_secret(txn, context, request.secret_id);
    if (secret.deletion) {
      throw errors::invalid_request_exception(
          "You can't perform this operation on the secret because it was already scheduled for deletion.");
    }
    secret.deletion = due;
    save_secret(txn, secret);
    co_await store::set_timer(txn, {std::string(kDeletionTimer), record_key(secret.address), due, ""});
    out.name = secret.address.name;
    out.arn = secret.arn();
  });
  co_return out;
}

Task<shapes::RestoreSecretOutput> restore_secret(Service& service, wire::Context& context,
                                                 const shapes::RestoreSecretInput& request) {
  shapes::RestoreSecretOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret = co_await load_secret(txn, context, request.secret_id);
    secret.deletion.reset();
    save_secret(txn, secret);
    co_await store::cancel_timer(txn, {kDeletionTimer}, record_key(secret.address));
    out.name = secret.address.name;
    out.arn = secret.arn();
  });
  co_return out;
}

}  // namespace tidemill::secretsmanager
