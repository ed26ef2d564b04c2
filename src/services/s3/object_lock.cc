#include "services/s3/object_lock.h"

#include <array>

#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/settings_document.h"
#include "services/s3/words.h"
#include "wire/timestamp.h"

namespace tidemill::s3 {
namespace {

constexpr std::array<const char*, 3> kHeaders{kLockMode, kLockUntil, kLegalHold};
constexpr std::string_view kOn = "ON";
constexpr std::string_view kOff = "OFF";
constexpr int kDaysOfYear = 365;

const std::string* find(const TextMap& headers, const char* name) {
  const auto found = headers.find(name);
  return found == headers.end() ? nullptr : &found->second;
}

std::optional<shapes::DefaultRetention> default_retention_of(const Bucket& bucket) {
  const std::string* document = bucket.setting(kObjectLock);
  if (!document) return std::nullopt;
  const auto stored = read_document<shapes::ops::PutObjectLockConfiguration>(*document).object_lock_configuration;
  if (!stored || !stored->rule) return std::nullopt;
  return stored->rule->default_retention;
}

base::Time parse_until(const std::string& text, base::Time now) {
  const auto until = wire::parse_timestamp(text, wire::TimestampFormat::date_time);
  if (!until) {
    throw errors::invalid_argument("The retain until date must be provided in ISO 8601 format", kLockUntil, text);
  }
  if (*until <= now) throw errors::invalid_argument("The retain until date must be in the future!", kLockUntil, text);
  return *until;
}

}  // namespace

std::string_view name_of(LockMode mode) { return mode == LockMode::compliance ? "COMPLIANCE" : "GOVERNANCE"; }

std::optional<LockMode> lock_mode_of(std::string_view name) {
  for (const LockMode mode : {LockMode::governance, LockMode::compliance}) {
    if (name == name_of(mode)) return mode;
  }
  return std::nullopt;
}

std::optional<Retention> retention_of(const TextMap& headers) {
  const std::string* name = find(headers, kLockMode);
  const std::string* date = find(headers, kLockUntil);
  const auto mode = name ? lock_mode_of(*name) : std::nullopt;
  const auto until = date ? wire::parse_timestamp(*date, wire::TimestampFormat::date_time) : std::nullopt;
  if (!mode || !until) return std::nullopt;
  return Retention{*mode, *until};
}

std::optional<bool> legal_hold_of(const TextMap& headers) {
  const std::string* status = find(headers, kLegalHold);
  if (!status) return std::nullopt;
  return *status == kOn;
}

void set_retention(TextMap& headers, const std::optional<Retention>& retention) {
  headers.erase(kLockMode);
  headers.erase(kLockUntil);
  if (!retention) return;
  headers.emplace(kLockMode, name_of(retention->mode));
  headers.emplace(kLockUntil, wire::format_timestamp(retention->until, wire::TimestampFormat::date_time));
}

void set_legal_hold(TextMap& headers, bool is_held) {
  headers.insert_or_assign(kLegalHold, std::string(is_held ? kOn : kOff));
}

void drop_lock(TextMap& headers) {
  for (const char* name : kHeaders) headers.erase(name);
}

void take_lock_headers(const LockHeaders& asked, base::Time now, TextMap& headers) {
  if (asked.mode.has_value() != asked.until.has_value()) {
    throw errors::invalid_argument(
        "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied",
        asked.mode ? kLockUntil : kLockMode, "");
  }
  if (asked.mode) {
    const auto mode = lock_mode_of(*asked.mode);
    if (!mode) throw errors::invalid_argument("Unknown wormMode directive.", kLockMode, *asked.mode);
    set_retention(headers, Retention{*mode, parse_until(*asked.until, now)});
  }
  if (!asked.legal_hold) return;
  if (*asked.legal_hold != kOn && *asked.legal_hold != kOff) {
    throw errors::invalid_argument("Legal Hold must be either of 'ON' or 'OFF'", kLegalHold, *asked.legal_hold);
  }
  set_legal_hold(headers, *asked.legal_hold == kOn);
}

bool has_object_lock(const Bucket& bucket) { return bucket.setting(kObjectLock) != nullptr; }

void check_lockable(const Bucket& bucket, const TextMap& headers) {
  if (has_object_lock(bucket)) return;
  for (const char* name : kHeaders) {
    if (headers.contains(name)) throw errors::invalid_request("Bucket is missing Object Lock Configuration");
  }
}

void lock_as_bucket_says(const Bucket& bucket, base::Time now, TextMap& headers) {
  check_lockable(bucket, headers);
  if (retention_of(headers)) return;
  const auto by_default = default_retention_of(bucket);
  const auto mode = by_default && by_default->mode ? lock_mode_of(*by_default->mode) : std::nullopt;
  if (!mode) return;
  const int days = by_default->days ? *by_default->days : by_default->years.value_or(0) * kDaysOfYear;
  set_retention(headers, Retention{*mode, now + std::chrono::days(days)});
}

bool is_locked(const Object& object, bool bypasses, base::Time now) {
  const TextMap& headers = object.description.system;
  if (legal_hold_of(headers).value_or(false)) return true;
  const auto retention = retention_of(headers);
  if (!retention || retention->until <= now) return false;
  return retention->mode == LockMode::compliance || !bypasses;
}

void check_unlocked(const Object& object, bool bypasses, base::Time now) {
  if (is_locked(object, bypasses, now)) throw locked_error();
}

void check_bypass(const Bucket& bucket, bool bypasses) {
  if (!bypasses || has_object_lock(bucket)) return;
  throw errors::invalid_argument("x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.",
                                 "x-amz-bypass-governance-retention", "true");
}

wire::Error locked_error() {
  return errors::error("AccessDenied", 403, "Access Denied because object protected by object lock.");
}

bool asks_to_bypass(const std::optional<std::string>& header) { return header && lower(*header) == "true"; }

}  // namespace tidemill::s3
