// Secrets. In the store, as JSON (docs/store-format.md):
//   KeySpace::resource, (account, region, "secretsmanager", "secret", name)                       a secret, without values
//   KeySpace::resource, (account, region, "secretsmanager", "value", name) string(version id)     a version's value, sealed
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::secretsmanager {

inline constexpr std::string_view kCurrent = "AWSCURRENT";
inline constexpr std::string_view kPrevious = "AWSPREVIOUS";

struct SecretAddress {
  std::string account;
  std::string region;
  std::string name;
};

struct Secret {
  SecretAddress address;
  std::string suffix;  // of the ARN: six characters, so that another secret of the same name is another
  std::optional<std::string> description;
  std::optional<std::string> kms_key_id;  // as it was asked for; nothing: alias/aws/secretsmanager
  base::Time created;
  base::Time changed;
  std::optional<base::Time> deletion;  // when it will be gone
  std::optional<std::string> policy;
  base::json::TextMap tags;
  std::map<std::string, base::Time> versions;  // when they came, by id
  std::map<std::string, std::string> stages;   // the id of the version that has the label

  [[nodiscard]] std::string arn() const;
};

[[nodiscard]] std::string new_suffix();

[[nodiscard]] std::string record_key(const SecretAddress& address);
// Throws std::runtime_error for what is no record key of a secret.
[[nodiscard]] SecretAddress address_of_record(std::string_view key);
[[nodiscard]] store::Range secrets_range(std::string_view account, std::string_view region);

[[nodiscard]] std::string encode_secret(const Secret& secret);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Secret decode_secret(SecretAddress address, std::string_view bytes);

Task<std::optional<Secret>> find_secret(store::Snapshot& reader, const SecretAddress& address);
void save_secret(store::Transaction& txn, const Secret& secret);
// With all its values.
void erase_secret(store::Transaction& txn, const SecretAddress& address);

// What `id` names: a name, an ARN, or an ARN without its suffix. Throws ResourceNotFoundException.
Task<Secret> load_secret(store::Snapshot& reader, const wire::Context& context, std::string id);
// The same, and InvalidRequestException if it is about to be deleted.
Task<Secret> load_kept_secret(store::Snapshot& reader, const wire::Context& context, std::string id);

// ---- Values --------------------------------------------------------------------------------------------------------

struct SealedValue {
  bool is_binary = false;
  std::string data_key;  // as KMS sealed it
  std::string sealed;    // with the data key
};

void save_value(store::Transaction& txn, const SecretAddress& address, std::string_view version,
                const SealedValue& value);
void erase_value(store::Transaction& txn, const SecretAddress& address, std::string_view version);
// Nothing: there is no such version.
Task<std::optional<SealedValue>> find_value(store::Snapshot& reader, const SecretAddress& address,
                                            std::string_view version);

}  // namespace tidemill::secretsmanager
