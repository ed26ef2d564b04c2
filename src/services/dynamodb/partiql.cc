#include "services/dynamodb/partiql.h"

#include <openssl/sha.h>

#include "base/base64.h"
#include "base/ordered.h"

namespace tidemill::dynamodb {

namespace {

constexpr uint8_t kTokenVersion = 1;
constexpr size_t kFingerprintSize = 16;
constexpr size_t kChecksumSize = 8;

std::string sha256(const std::string& text, size_t size) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return {reinterpret_cast<const char*>(hash), size};
}

std::string fingerprint(const std::string& text, const StatementParameters& parameters) {
  std::string all = text;
  all.push_back('\0');
  if (parameters) {
    for (const auto& parameter : *parameters) all += parameter.encoded();
  }
  return sha256(all, kFingerprintSize);
}

}  // namespace

Statement parse_statement(const std::string& text, const StatementParameters& parameters, std::string_view place) {
  if (parameters && parameters->empty()) {
    throw validation(std::string(kDetectedPrefix)
                         .append("Value '[]' at '")
                         .append(place)
                         .append("' failed to satisfy constraint: Member must have length greater than or equal to 1"));
  }
  try {
    return lang::partiql::parse_statement(
        text, parameters ? std::span(*parameters) : std::span<const lang::dynamodb::Value>());
  } catch (const lang::partiql::StatementError& error) {
    throw validation(error.what());
  }
}

lang::partiql::KeyPlan plan_statement(const Statement& statement, const lang::dynamodb::KeySchema& schema) {
  try {
    return lang::partiql::plan_keys(statement.where, schema);
  } catch (const lang::partiql::StatementError& error) {
    throw validation(error.what());
  }
}

Item planned_key(const lang::partiql::KeyPlan& plan, const Table& table) {
  Item key;
  key.set(table.partition.name, plan.ranges[0].partition);
  if (table.sort) key.set(table.sort->name, plan.ranges[0].sort->low);
  return key;
}

std::string encode_next_token(const StatementPosition& position, const std::string& text,
                              const StatementParameters& parameters) {
  std::string body;
  base::append_u8(body, kTokenVersion);
  base::append_fixed(body, fingerprint(text, parameters));
  base::append_u32(body, position.range);
  base::append_u8(body, position.start_key ? 1 : 0);
  if (position.start_key) body += position.start_key->encoded();
  return base::base64_encode(sha256(body, kChecksumSize) + body);
}

StatementPosition decode_next_token(const std::string& token, const std::string& text,
                                    const StatementParameters& parameters) {
  const auto refuse = [] { return validation("Invalid NextToken"); };
  const auto bytes = base::base64_decode(token);
  if (!bytes || bytes->size() < kChecksumSize) throw refuse();
  const std::string body = bytes->substr(kChecksumSize);
  if (bytes->substr(0, kChecksumSize) != sha256(body, kChecksumSize)) throw refuse();

  base::OrderedReader reader(body);
  const uint8_t version = reader.u8();
  const std::string_view print = reader.fixed(kFingerprintSize);
  StatementPosition position{.range = reader.u32()};
  const bool has_key = reader.u8() != 0;
  const std::string_view key = reader.rest();
  if (!reader.ok() || version != kTokenVersion || !lang::dynamodb::is_valid_item(key)) throw refuse();
  if (print != fingerprint(text, parameters)) throw validation("NextToken does not match request");
  if (has_key) position.start_key = Item(ItemView(key));
  return position;
}

}  // namespace tidemill::dynamodb
