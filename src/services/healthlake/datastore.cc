#include "services/healthlake/datastore.h"

#include <algorithm>

#include "base/json_members.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/healthlake/errors.h"
#include "store/resources.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr store::ResourceType kDatastores{"healthlake", "datastore"};
constexpr store::ResourceType kTokens{"healthlake", "datastore-token"};
constexpr size_t kTagsMax = 50;

constexpr auto kDatastoreMembers = [](auto& member, auto& datastore) {
  member("name", datastore.name);
  member("status", datastore.status);
  member("created_us", datastore.created);
  member("tags", datastore.tags);
  member("token", datastore.token);
  member("shows_encryption", datastore.shows_encryption);
  member.unless_empty("endpoint", datastore.endpoint);
  member("epoch", datastore.epoch);
  member("epoch_began_us", datastore.epoch_began);
  member("exporting", datastore.exporting);
  member("jobs", datastore.jobs);
};

}  // namespace

std::string DatastoreAddress::arn() const {
  return cat("arn:aws:healthlake:", region, ":", account, ":datastore/fhir/", id);
}

std::string DatastoreAddress::text() const { return cat(account, "/", region, "/", id); }

std::optional<DatastoreAddress> DatastoreAddress::parse(std::string_view text) {
  const size_t first = text.find('/');
  const size_t second = text.find('/', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  return DatastoreAddress{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)),
                          std::string(text.substr(second + 1))};
}

std::string new_id() {
  std::string id = base::new_uuid();
  std::erase(id, '-');
  return id;
}

std::string datastore_key(const DatastoreAddress& address) {
  return store::resource_key(kDatastores, address.account, address.region, address.id);
}

store::Range datastores_range(std::string_view account, std::string_view region) {
  return store::resources_range(kDatastores, account, region);
}

std::optional<DatastoreAddress> datastore_of_key(std::string_view key) {
  auto found = store::resource_of_key(kDatastores, key);
  if (!found) return std::nullopt;
  return DatastoreAddress{std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string datastore_token_key(std::string_view account, std::string_view region, std::string_view token) {
  return store::resource_key(kTokens, account, region, token);
}

void save_datastore(store::Transaction& txn, const Datastore& datastore) {
  txn.put(datastore_key(datastore.address), json::encode(datastore, kDatastoreMembers));
}

Datastore decode_datastore(DatastoreAddress address, std::string_view bytes) {
  return json::decode("data store", bytes, kDatastoreMembers, Datastore{.address = std::move(address)});
}

Task<std::optional<Datastore>> find_datastore(store::Snapshot& reader, DatastoreAddress address) {
  const auto bytes = co_await reader.get(datastore_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_datastore(std::move(address), *bytes);
}

Task<Datastore> load_datastore(store::Snapshot& reader, DatastoreAddress address) {
  const std::string id = address.id;
  auto datastore = co_await find_datastore(reader, std::move(address));
  if (!datastore) throw no_datastore(id);
  co_return *std::move(datastore);
}

void check_tags(const json::TextMap& tags) {
  if (tags.size() > kTagsMax) throw invalid(cat("A data store has at most ", kTagsMax, " tags."));
  const auto found = tags.find(std::string(kExportTag));
  if (found != tags.end() && found->second != kExportRefuse && found->second != kExportQueue) {
    throw invalid(cat("The tag ", kExportTag, " must be ", kExportRefuse, " or ", kExportQueue, "."));
  }
}

}  // namespace tidemill::healthlake
