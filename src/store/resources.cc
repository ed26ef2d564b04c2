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

Task<std::vector<std::string>> accounts_with_resources(Snapshot& reader) {
  std::vector<std::string> result;
  Range rest = all_resources_range();
  for (;;) {
    std::optional<std::string> account;
    co_await reader.scan(rest, first(1), [&](std::string_view key, std::string_view) {
      base::OrderedReader parts(key.substr(1));
      std::string found = parts.string();
      if (parts.ok()) account = std::move(found);
      return true;
    });
    if (!account) co_return result;
    std::string all_of_it = rest.begin.substr(0, 1);
    base::append_string(all_of_it, *account);
    rest.begin = Range::prefix(all_of_it).end;  // one look for each account, however much it has
    if (!account->empty()) result.push_back(*std::move(account));
  }
}

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
