#include "services/dynamodb/shard_iterator.h"

#include <openssl/sha.h>

#include "base/base64.h"
#include "base/ordered.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kVersionPart = "|1|";
constexpr size_t kChecksumSize = 8;

std::string checksum(std::string_view arn, std::string_view body) {
  const std::string text = std::string(arn).append(kVersionPart).append(body);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return {reinterpret_cast<const char*>(hash), kChecksumSize};
}

}  // namespace

std::string encode_iterator(const ShardIterator& iterator) {
  std::string body;
  base::append_u8(body, iterator.complete ? 1 : 0);
  base::append_i64(body, iterator.made.time_since_epoch().count());
  base::append_fixed(body, iterator.after.encode());
  base::append_fixed(body, iterator.shard_id);
  const std::string arn = iterator.stream.arn();
  return arn + std::string(kVersionPart) + base::base64_encode(checksum(arn, body) + body);
}

std::optional<ShardIterator> decode_iterator(std::string_view token) {
  const size_t at = token.find(kVersionPart);
  if (at == std::string_view::npos) return std::nullopt;
  auto stream = parse_stream_arn(token.substr(0, at));
  const auto bytes = base::base64_decode(token.substr(at + kVersionPart.size()));
  if (!stream || !bytes || bytes->size() < kChecksumSize) return std::nullopt;
  const std::string_view body = std::string_view(*bytes).substr(kChecksumSize);
  if (bytes->substr(0, kChecksumSize) != checksum(token.substr(0, at), body)) return std::nullopt;

  base::OrderedReader reader(body);
  ShardIterator iterator{.stream = *std::move(stream)};
  iterator.complete = reader.u8() != 0;
  iterator.made = base::Time(base::Duration(reader.i64()));
  const auto after = store::Position::decode(reader.fixed(store::Position::kEncodedSize));
  iterator.shard_id = reader.rest();
  if (!reader.ok() || !after) return std::nullopt;
  iterator.after = *after;
  return iterator;
}

}  // namespace tidemill::dynamodb
