// Keys, and the material that they encrypt with. In the store, as JSON (docs/store-format.md):
//   KeySpace::resource, (account, region, "kms", "key", id)                           a key
//   KeySpace::resource, (account, region, "kms", "material", id) string(material id)  its material, sealed with the master key
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "crypto/secret.h"
#include "store/store.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {

struct KeyAddress {
  std::string account;
  std::string region;
  std::string id;  // a UUID

  [[nodiscard]] std::string arn() const;
  bool operator==(const KeyAddress&) const = default;
};

// How material is replaced by itself.
struct Rotation {
  int64_t period_days = 365;
  base::Time next;
};

struct Key {
  KeyAddress address;
  std::string usage;  // wire::kms::KeyUsage
  std::string spec;   // wire::kms::KeySpec
  std::string description;
  std::string policy;
  base::Time created;
  bool enabled = true;
  bool is_aws_managed = false;
  std::optional<base::Time> deletion;  // when it will be gone
  std::string material;                // the id of the one that encrypts
  int64_t rotations_on_demand = 0;
  std::optional<Rotation> rotation;
  base::json::TextMap tags;

  [[nodiscard]] bool is_symmetric() const { return spec == wire::kms::KeySpec::kSymmetricDefault; }
};

[[nodiscard]] std::string record_key(const KeyAddress& address);
// Throws std::runtime_error for what is no record key of a key.
[[nodiscard]] KeyAddress address_of_record(std::string_view key);
[[nodiscard]] store::Range keys_range(std::string_view account, std::string_view region);

[[nodiscard]] std::string encode_key(const Key& key);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Key decode_key(KeyAddress address, std::string_view bytes);

Task<std::optional<Key>> find_key(store::Snapshot& reader, const KeyAddress& address);
void save_key(store::Transaction& txn, const Key& key);

// How a material came to be, in ListKeyRotations' words; empty: with its key.
inline constexpr std::string_view kRotatedByTime = "AUTOMATIC";
inline constexpr std::string_view kRotatedOnDemand = "ON_DEMAND";

struct Material {
  std::string id;      // 64 hexadecimal digits
  std::string sealed;  // with the master key; its context is the key's ARN and the id
  base::Time created;
  std::string made_by;
};

// The bytes that a key of this spec has.
[[nodiscard]] size_t material_size(std::string_view spec);

[[nodiscard]] Material new_material(const crypto::Secret& master, const Key& key, base::Time now, std::string_view made_by);
void save_material(store::Transaction& txn, const KeyAddress& address, const Material& material);
[[nodiscard]] Material decode_material(std::string id, std::string_view bytes);
[[nodiscard]] std::string material_key(const KeyAddress& address, std::string_view id);
// Of all that a key has had.
[[nodiscard]] store::Range materials_range(const KeyAddress& address);
// The id in a key of materials_range().
[[nodiscard]] std::string material_id_of(const KeyAddress& address, std::string_view key);

// Opened. Nothing: the key has no such material. Throws std::runtime_error if it is damaged.
Task<std::optional<crypto::Secret>> load_material(store::Snapshot& reader, const crypto::Secret& master,
                                                  const KeyAddress& address, std::string id);

}  // namespace tidemill::kms
