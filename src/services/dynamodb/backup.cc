#include "services/dynamodb/backup.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/ordered.h"
#include "services/dynamodb/descriptor_json.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr store::ResourceType kBackups{"dynamodb", "backup"};
constexpr int kFormatVersion = 1;
constexpr std::string_view kBackupResource = "/backup/";

bool is_backup_id(std::string_view id) {
  return !id.empty() && std::ranges::all_of(id, [](unsigned char c) { return std::isxdigit(c) || c == '-'; });
}

}  // namespace

std::string BackupAddress::arn() const { return table.arn() + std::string(kBackupResource) + id; }

std::optional<BackupAddress> parse_backup_arn(std::string_view arn) {
  const size_t at = arn.find(kBackupResource);
  if (at == std::string_view::npos) return std::nullopt;
  auto table = parse_table_arn(arn.substr(0, at));
  const std::string_view id = arn.substr(at + kBackupResource.size());
  if (!table || !is_backup_id(id)) return std::nullopt;
  return BackupAddress{*std::move(table), std::string(id)};
}

std::string backup_key(const BackupAddress& address) {
  std::string key = store::resource_key(kBackups, address.table.account, address.table.region, address.table.name);
  base::append_string(key, address.id);
  return key;
}

store::Range table_backups_range(const TableAddress& table) {
  return store::Range::prefix(store::resource_key(kBackups, table.account, table.region, table.name));
}

store::Range all_backups_range(std::string_view account, std::string_view region) {
  return store::resources_range(kBackups, account, region);
}

std::optional<Backup> decode_backup(std::string_view bytes) {
  const auto json = json::parse(bytes);
  if (!json || integer_at(*json, "version") != kFormatVersion) return std::nullopt;
  auto address = parse_backup_arn(text_at(*json, "arn"));
  auto table = decode_table(text_at(*json, "table"));
  const auto data = TableId::from_uuid(text_at(*json, "data"));
  if (!address || !table || !data) return std::nullopt;
  Backup backup{.address = *std::move(address), .name = text_at(*json, "name")};
  backup.status = boolean_at(*json, "available") ? Backup::Status::available : Backup::Status::creating;
  backup.type = boolean_at(*json, "system") ? Backup::Type::system : Backup::Type::user;
  backup.created = time_at(*json, "created");
  if (json->find("expires")) backup.expires = time_at(*json, "expires");
  backup.data = *data;
  backup.items = integer_at(*json, "items");
  backup.bytes = integer_at(*json, "bytes");
  backup.restoring_to = text_at(*json, "restoringTo");
  backup.table = *std::move(table);
  return backup;
}

Task<std::optional<Backup>> load_backup(store::Snapshot& snapshot, const BackupAddress& address) {
  const auto bytes = co_await snapshot.get(backup_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_backup(*bytes);
}

void save_backup(store::Transaction& txn, const Backup& backup) {
  json::Object object{{"version", kFormatVersion},
                      {"arn", backup.address.arn()},
                      {"name", backup.name},
                      {"available", backup.status == Backup::Status::available},
                      {"system", backup.type == Backup::Type::system},
                      {"created", time_json(backup.created)},
                      {"data", backup.data.uuid()},
                      {"items", backup.items},
                      {"bytes", backup.bytes},
                      {"restoringTo", backup.restoring_to},
                      {"table", encode_table(backup.table)}};
  if (backup.expires) object.set("expires", time_json(*backup.expires));
  txn.put(backup_key(backup.address), json::write(object));
}

void erase_backup(store::Transaction& txn, const Backup& backup) {
  txn.erase(backup_key(backup.address));
  txn.erase_range(table_range(backup.data));
}

TableId new_id(std::string_view arn, std::string_view request_id, base::Time now) {
  const std::string text =
      std::string(arn) + "/" + std::string(request_id) + "/" + std::to_string(now.time_since_epoch().count());
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  TableId id;
  std::copy_n(hash, TableId::kSize, id.bytes.begin());
  id.bytes[6] = static_cast<char>((id.bytes[6] & 0x0f) | 0x40);  // so that it reads as a random UUID
  id.bytes[8] = static_cast<char>((id.bytes[8] & 0x3f) | 0x80);
  return id;
}

std::string backup_id(base::Time created, const TableId& data) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(created.time_since_epoch()).count();
  char text[32];
  std::snprintf(text, sizeof text, "%014lld-", static_cast<long long>(milliseconds));
  return text + data.uuid().substr(0, 8);
}

}  // namespace tidemill::dynamodb
