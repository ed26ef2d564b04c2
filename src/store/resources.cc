#include "store/resources.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

constexpr size_t kUsualPrefixBytes = 96;

}  // namespace

std::string resource_prefix(ResourceType type, std::string_view account, std::string_view region) {
  std::string key;
  key.reserve(kUsualPrefixBytes);
  key.push_back(static_cast<char>(KeySpace::resource));
  base::append_string(key, account);
  base::append_string(key, region);
  base::append_string(key, type.service);
  base::append_string(key, type.type);
  return key;
}

std::string resource_key(ResourceType type, std::string_view account, std::string_view region, std::string_view name) {
  std::string key = resource_prefix(type, account, region);
  base::append_string(key, name);
  return key;
}

Range resources_range(ResourceType type, std::string_view account, std::string_view region) {
  return Range::prefix(resource_prefix(type, account, region));
}

Range all_resources_range() { return Range::prefix(std::string(1, static_cast<char>(KeySpace::resource))); }

std::optional<ResourceAddress> resource_of_key(ResourceType type, std::string_view key) {
  if (key.empty() || key.front() != static_cast<char>(KeySpace::resource)) return std::nullopt;
  base::OrderedReader reader(key.substr(1));
  ResourceAddress address;
  address.account = reader.string();
  address.region = reader.string();
  if (reader.string() != type.service || reader.string() != type.type) return std::nullopt;
  address.name = reader.string();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return address;
}

}  // namespace tidemill::store
