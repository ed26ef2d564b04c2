#include "services/kms/master_key.h"

#include "base/hex.h"
#include "base/json_members.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/sealing.h"
#include "store/resources.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {
namespace {

using base::cat;
using crypto::Secret;

constexpr size_t kFingerprintBytes = 16;

std::string record_key() { return store::resource_key({"kms", "master"}, "", "", "key"); }

constexpr auto kMasterKeyMembers = [](auto& member, auto& record) {
  member("pond", record.pond);
  member.unless_empty("fingerprint", record.fingerprint);
};

std::string fingerprint_of(const Secret& key) {
  return base::hex_of(
      crypto::authentication_code("SHA256", key.bytes(), "tidemill master key").substr(0, kFingerprintBytes));
}

}  // namespace

MasterKey::Record MasterKey::decode(std::string_view bytes) {
  return json::decode<Record>("master key", bytes, kMasterKeyMembers);
}

std::string MasterKey::encode(const Record& record) { return json::encode(record, kMasterKeyMembers); }

Task<MasterKey::Record> MasterKey::load_or_begin() {
  // The pond's id comes before the file that is named after it: who is killed between the two makes no second file.
  const std::string pond = base::new_uuid();
  co_return co_await store_.transact([&](store::Transaction& txn) -> Task<Record> {
    if (const auto bytes = co_await txn.get(record_key())) co_return decode(*bytes);
    Record record{.pond = pond};
    txn.put(record_key(), encode(record));
    co_return record;
  });
}

Task<Secret> MasterKey::read(Record record) {
  auto key = co_await file_.read(record.pond);
  const std::string path = file_.path(record.pond);
  if (!key) {
    throw KeyFileError(cat("the key file ", path,
                           " is missing: restore it from its backup, or say by --key-file where it is"));
  }
  if (fingerprint_of(*key) != record.fingerprint) {
    throw KeyFileError(cat("the key file ", path, " is of another data directory: restore the one that belongs to this, or ",
                           "say by --key-file where it is"));
  }
  co_return *std::move(key);
}

Task<bool> MasterKey::note(Record record) {
  co_return co_await store_.transact([&](store::Transaction& txn) -> Task<bool> {
    const auto bytes = co_await txn.get(record_key());
    if (!bytes || !decode(*bytes).fingerprint.empty()) co_return false;
    txn.put(record_key(), encode(record));
    co_return true;
  });
}

Task<std::shared_ptr<const Secret>> MasterKey::get() {
  {
    const std::lock_guard lock(mutex_);
    if (known_) co_return known_;
  }
  std::shared_ptr<const Secret> key;
  try {
    Record record = co_await load_or_begin();
    if (record.fingerprint.empty()) {
      record.fingerprint = fingerprint_of(co_await file_.make(record.pond));
      if (co_await note(record)) {
        base::log_info("the master key is kept apart from the data directory: back it up, too",
                       {{"file", file_.path(record.pond)}});
      }
      record = co_await load_or_begin();  // who was faster has said which it is
    }
    key = std::make_shared<const Secret>(co_await read(record));
  } catch (const KeyFileError& error) {
    throw wire::kms::errors::key_unavailable_exception(error.what());
  }
  const std::lock_guard lock(mutex_);
  if (!known_) known_ = key;
  co_return known_;
}

Task<void> MasterKey::check() {
  const auto bytes = co_await store_.snapshot()->get(record_key());
  if (!bytes || decode(*bytes).fingerprint.empty()) co_return;
  try {
    (void)co_await get();
  } catch (const wire::Error& error) {
    base::log_error("what is encrypted cannot be read", {{"reason", error.message}});
  }
}

}  // namespace tidemill::kms
