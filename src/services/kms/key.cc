#include "services/kms/key.h"

#include <stdexcept>

#include "base/hex.h"
#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/random.h"
#include "crypto/sealing.h"
#include "store/resources.h"

namespace tidemill::kms {

using base::cat;

namespace {

constexpr store::ResourceType kKeys{"kms", "key"};
constexpr store::ResourceType kMaterials{"kms", "material"};
constexpr size_t kMaterialIdBytes = 32;

constexpr auto kRotationMembers = [](auto& member, auto& rotation) {
  member("rotation_days", rotation.period_days);
  member("rotation_next_us", rotation.next);
};

constexpr auto kKeyMembers = [](auto& member, auto& key) {
  member("usage", key.usage);
  member("spec", key.spec);
  member("description", key.description);
  member("policy", key.policy);
  member("created_us", key.created);
  member("enabled", key.enabled);
  member("aws_managed", key.is_aws_managed);
  member("deletion_us", key.deletion);
  member("material", key.material);
  member("rotations_on_demand", key.rotations_on_demand);
  member.inlined("rotation_days", key.rotation, kRotationMembers);
  member("tags", key.tags);
};

constexpr auto kMaterialMembers = [](auto& member, auto& material) {
  member.bytes("sealed", material.sealed);
  member("created_us", material.created);
  member.unless_empty("made_by", material.made_by);
};

std::string context_of(const KeyAddress& address, std::string_view id) { return cat(address.arn(), " ", id); }

}  // namespace

std::string KeyAddress::arn() const { return cat("arn:aws:kms:", region, ":", account, ":key/", id); }

std::string record_key(const KeyAddress& address) {
  return store::resource_key(kKeys, address.account, address.region, address.id);
}

KeyAddress address_of_record(std::string_view key) {
  auto address = store::resource_of_key(kKeys, key);
  if (!address) throw std::runtime_error("a KMS key's record is damaged");
  return {std::move(address->account), std::move(address->region), std::move(address->name)};
}

store::Range keys_range(std::string_view account, std::string_view region) {
  return store::resources_range(kKeys, account, region);
}

std::string encode_key(const Key& key) { return json::encode(key, kKeyMembers); }

Key decode_key(KeyAddress address, std::string_view bytes) {
  return json::decode("KMS key", bytes, kKeyMembers, Key{.address = std::move(address)});
}

Task<std::optional<Key>> find_key(store::Snapshot& reader, const KeyAddress& address) {
  const auto bytes = co_await reader.get(record_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_key(address, *bytes);
}

void save_key(store::Transaction& txn, const Key& key) { txn.put(record_key(key.address), encode_key(key)); }

size_t material_size(std::string_view spec) {
  namespace KeySpec = wire::kms::KeySpec;
  if (spec == KeySpec::kHmac_224) return 28;
  if (spec == KeySpec::kHmac_384) return 48;
  if (spec == KeySpec::kHmac_512) return 64;
  return crypto::kSealingKeySize;
}

std::string material_key(const KeyAddress& address, std::string_view id) {
  std::string key = store::resource_key(kMaterials, address.account, address.region, address.id);
  base::append_string(key, id);
  return key;
}

store::Range materials_range(const KeyAddress& address) {
  return store::Range::prefix(store::resource_key(kMaterials, address.account, address.region, address.id));
}

std::string material_id_of(const KeyAddress& address, std::string_view key) {
  const std::string prefix = store::resource_key(kMaterials, address.account, address.region, address.id);
  base::OrderedReader reader(key.substr(prefix.size()));
  std::string id = reader.string();
  if (!reader.ok()) throw std::runtime_error("a KMS key's material is damaged");
  return id;
}

Material new_material(const crypto::Secret& master, const Key& key, base::Time now, std::string_view made_by) {
  Material material{.id = base::hex_of(crypto::random_bytes(kMaterialIdBytes)),
                    .created = now,
                    .made_by = std::string(made_by)};
  const crypto::Secret bytes = crypto::new_secret(material_size(key.spec));
  material.sealed = crypto::seal(master, bytes.bytes(), context_of(key.address, material.id));
  return material;
}

void save_material(store::Transaction& txn, const KeyAddress& address, const Material& material) {
  txn.put(material_key(address, material.id), json::encode(material, kMaterialMembers));
}

Material decode_material(std::string id, std::string_view bytes) {
  return json::decode("KMS key's material", bytes, kMaterialMembers, Material{.id = std::move(id)});
}

Task<std::optional<crypto::Secret>> load_material(store::Snapshot& reader, const crypto::Secret& master,
                                                  const KeyAddress& address, std::string id) {
  const auto bytes = co_await reader.get(material_key(address, id));
  if (!bytes) co_return std::nullopt;
  const Material material = decode_material(id, *bytes);
  auto opened = crypto::open_sealed(master, material.sealed, context_of(address, id));
  if (!opened) throw std::runtime_error(cat("the material of the KMS key ", address.arn(), " is damaged"));
  co_return opened;
}

}  // namespace tidemill::kms
