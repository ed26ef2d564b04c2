#include "services/kinesis/shard_iterator.h"

#include <openssl/sha.h>

#include <charconv>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/kinesis/errors.h"
#include "store/position.h"

namespace tidemill::kinesis {
namespace {

namespace types = wire::kinesis::ShardIteratorType;

using base::cat;

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumSize = 8;

std::string checksum(std::string_view account, std::string_view region, std::string_view body) {
  std::string text;
  base::append_string(text, account);
  base::append_string(text, region);
  text.append(body);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return {reinterpret_cast<const char*>(hash), kChecksumSize};
}

int64_t milliseconds(base::Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

[[noreturn]] void refuse_number(const Start& start, const Stream& stream, const Shard& shard, std::string_view why) {
  throw invalid_argument(cat("StartingSequenceNumber ", *start.sequence_number, " used in GetShardIterator on shard ",
                             shard.id(), " in stream ", stream.address.name, " under account ", stream.address.account,
                             " is invalid", why, "."));
}

// Of a stream of the same name that was deleted meanwhile, say.
bool is_of_another(const SequenceNumber& number, const Shard& shard) {
  return number.shard_created != std::chrono::floor<std::chrono::seconds>(shard.number_time());
}

// What is too short to be a sequence number is, on AWS, the number of a shard.
std::optional<uint32_t> shard_of_short_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

store::Position named_position(const Start& start, const Stream& stream, const Shard& shard) {
  if (!start.sequence_number) {
    throw invalid_argument(
        cat("Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) "
            "TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified ",
            start.type, " and no StartingSequenceNumber."));
  }
  const auto number = parse_sequence_number(*start.sequence_number);
  const auto encoded = number ? std::optional(number->shard) : shard_of_short_number(*start.sequence_number);
  if (encoded && *encoded != shard.number) {
    throw invalid_argument(cat("Invalid StartingSequenceNumber. It encodes ", Shard{.number = *encoded}.id(),
                               ", while it was used in a call to a shard with ", shard.id()));
  }
  if (!number) refuse_number(start, stream, shard, "");
  if (is_of_another(*number, shard)) {
    refuse_number(start, stream, shard, " because it did not come from this stream");
  }
  return start.type == types::kAtSequenceNumber ? store::before(number->position) : number->position;
}

store::Position position_at(const Start& start, base::Time now) {
  if (!start.time) {
    throw invalid_argument(
        "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current request has no timestamp "
        "parameter.");
  }
  if (*start.time > now) {
    throw invalid_argument(
        cat("The timestampInMillis parameter cannot be greater than the currentTimestampInMillis. "
            "timestampInMillis: ",
            milliseconds(*start.time), ", currentTimestampInMillis: ", milliseconds(now)));
  }
  return store::before_time(*start.time);
}

std::string_view without_quotes(std::string_view token) {
  const bool is_quoted = token.size() >= 2 && token.starts_with('"') && token.ends_with('"');
  return is_quoted ? token.substr(1, token.size() - 2) : token;
}

}  // namespace

std::string encode_iterator(const ShardIterator& iterator) {
  std::string body;
  base::append_u8(body, kVersion);
  base::append_i64(body, iterator.made.time_since_epoch().count());
  base::append_fixed(body, iterator.after.encode());
  base::append_u32(body, iterator.shard);
  base::append_fixed(body, iterator.stream_id);
  base::append_fixed(body, iterator.stream.name);
  return base::base64_encode(checksum(iterator.stream.account, iterator.stream.region, body) + body);
}

std::optional<ShardIterator> decode_iterator(const wire::Context& context, std::string_view token) {
  const auto bytes = base::base64_decode(without_quotes(token));
  if (!bytes || bytes->size() < kChecksumSize) return std::nullopt;
  const std::string_view body = std::string_view(*bytes).substr(kChecksumSize);
  if (bytes->substr(0, kChecksumSize) != checksum(context.account, context.region, body)) return std::nullopt;
  base::OrderedReader reader(body);
  const bool is_known = reader.u8() == kVersion;
  ShardIterator iterator{.stream = {context.account, context.region, ""}};
  iterator.made = base::Time(base::Duration(reader.i64()));
  const auto after = store::Position::decode(reader.fixed(store::Position::kEncodedSize));
  iterator.shard = reader.u32();
  iterator.stream_id = reader.fixed(kStreamIdSize);
  iterator.stream.name = reader.rest();
  if (!is_known || !reader.ok() || !after) return std::nullopt;
  iterator.after = *after;
  return iterator;
}

store::Position start_position(const Start& start, const Stream& stream, const Shard& shard, store::Version latest,
                               base::Time now) {
  if (start.type == types::kAtSequenceNumber || start.type == types::kAfterSequenceNumber) {
    return named_position(start, stream, shard);
  }
  if (start.sequence_number) {
    throw invalid_argument(
        cat("Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) "
            "TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified ",
            start.type, " and also a StartingSequenceNumber."));
  }
  if (start.type == types::kAtTimestamp) return position_at(start, now);
  return start.type == types::kLatest ? store::after_version(latest) : store::Position::before_all();
}

}  // namespace tidemill::kinesis
