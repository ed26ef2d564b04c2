#include "services/lambda/package_record.h"

#include "base/json_members.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;

constexpr store::ResourceType kPackages{"lambda", "package"};

constexpr auto kPackageMembers = [](auto& member, auto& record) {
  member.bytes("blob", record.blob.bytes);
  member.check(record.blob.bytes.size() == store::BlobId::kSize, "blob");
  member("bytes", record.bytes);
  member("functions", record.functions);
};

}  // namespace

std::string package_key(std::string_view digest) { return store::resource_key(kPackages, "", "", digest); }

std::optional<std::string> parse_package_key(std::string_view key) {
  auto found = store::resource_of_key(kPackages, key);
  if (!found) return std::nullopt;
  return std::move(found->name);
}

std::string encode_package(const PackageRecord& record) { return json::encode(record, kPackageMembers); }

PackageRecord decode_package(std::string_view bytes) { return json::decode<PackageRecord>("package", bytes, kPackageMembers); }

Task<std::optional<PackageRecord>> load_package(store::Snapshot& reader, std::string_view digest) {
  const auto bytes = co_await reader.get(package_key(digest));
  if (!bytes) co_return std::nullopt;
  co_return decode_package(*bytes);
}

Task<bool> refer_to_package(store::Transaction& txn, std::string_view digest) {
  const std::string key = package_key(digest);
  const auto bytes = co_await txn.get(key);
  if (!bytes) co_return false;
  PackageRecord record = decode_package(*bytes);
  ++record.functions;
  txn.put(key, encode_package(record));
  co_return true;
}

Task<void> drop_package(store::Transaction& txn, std::string digest, DroppedPackages& dropped) {
  const std::string key = package_key(digest);
  const auto bytes = co_await txn.get(key);
  dropped.digests.insert(std::move(digest));
  if (!bytes) co_return;  // what is missing cannot keep its functions from going
  PackageRecord record = decode_package(*bytes);
  if (--record.functions > 0) {
    txn.put(key, encode_package(record));
    co_return;
  }
  txn.erase(key);
  if (co_await store::drop_blob(txn, record.blob)) dropped.blobs.push_back(std::move(record.blob));
}

}  // namespace tidemill::lambda
