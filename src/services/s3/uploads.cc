#include "services/s3/uploads.h"

#include "base/hex.h"
#include "base/text.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

constexpr int kTimeDigits = 14;  // of microseconds until the year 4253

}  // namespace

std::string new_upload_id(base::Time now) {
  return base::hex(static_cast<uint64_t>(now.time_since_epoch().count()), kTimeDigits) + base::hex_of(random_id());
}

Task<std::optional<Upload>> find_upload(store::Snapshot& reader, const Bucket& bucket, std::string key, std::string id) {
  const auto bytes = co_await reader.get(upload_key(bucket.id, key, id));
  if (!bytes) co_return std::nullopt;
  co_return decode_upload(*bytes);
}

Task<Upload> require_upload(store::Snapshot& reader, const Bucket& bucket, std::string key, std::string id) {
  auto upload = co_await find_upload(reader, bucket, std::move(key), id);
  if (!upload) throw errors::no_such_upload(id);
  co_return *std::move(upload);
}

Task<std::map<int, Part>> load_parts(store::Snapshot& reader, const Bucket& bucket, std::string upload_id) {
  std::map<int, Part> parts;
  co_await reader.scan(parts_of(bucket.id, upload_id), store::Direction::forward, [&](std::string_view, std::string_view value) {
    Part part = decode_part(value);
    parts.emplace(part.number, std::move(part));
    return true;
  });
  co_return parts;
}

Task<void> save_part(store::Transaction& txn, const Bucket& bucket, const std::string& upload_id, const Part& part,
                     Removals& removals) {
  const std::string key = part_key(bucket.id, upload_id, part.number);
  if (const auto before = co_await txn.get(key)) {
    const Part replaced = decode_part(*before);
    co_await drop_pieces(txn, bucket, replaced.pieces, removals);
  }
  txn.put(key, encode_part(part));
}

Task<void> erase_upload(store::Transaction& txn, const Bucket& bucket, const std::string& key,
                        const std::string& upload_id, Removals& removals) {
  for (const auto& [number, part] : co_await load_parts(txn, bucket, upload_id)) {
    co_await drop_pieces(txn, bucket, part.pieces, removals);
    txn.erase(part_key(bucket.id, upload_id, number));
  }
  txn.erase(upload_key(bucket.id, key, upload_id));
}

void check_part_number(int number) {
  if (number >= 1 && number <= kPartsMax) return;
  throw errors::invalid_argument("Part number must be an integer between 1 and 10000, inclusive", "partNumber",
                                 std::to_string(number));
}

}  // namespace tidemill::s3
