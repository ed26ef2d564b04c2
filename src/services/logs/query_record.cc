#include "services/logs/query_record.h"

#include <algorithm>
#include <stdexcept>

#include "base/base64.h"
#include "base/hex.h"
#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {
namespace {

namespace Status = wire::logs::QueryStatus;

constexpr char kResult = 'r';

constexpr auto kQueryMembers = [](auto& member, auto& query) {
  member("text", query.text);
  member("groups", query.groups);
  member("from", query.from);
  member("to", query.to);
  member("limit", query.limit);
  member("status", query.status);
  member("created_us", query.created);
  member("ended_us", query.ended);
  member("matched", query.statistics.matched);
  member("scanned", query.statistics.scanned);
  member("bytes", query.statistics.bytes);
  member("groups_scanned", query.statistics.groups);
  member("pieces", query.pieces);
  member.unless_empty("attempts", query.attempts);
};

// The bytes of a UUID: they name nothing else in the key space.
std::string id_bytes(std::string_view query_id) {
  std::string digits(query_id);
  std::erase(digits, '-');
  auto bytes = base::bytes_of_hex(digits);
  if (!bytes || bytes->size() != kIdSize) return std::string(kIdSize, '\0');
  return *std::move(bytes);
}

}  // namespace

bool QueryRecord::is_active() const { return status == Status::kScheduled || status == Status::kRunning; }

std::string query_key(const store::ResourceAddress& address) {
  return store::resource_key(kQueryType, address.account, address.region, address.name);
}

std::string encode_query(const QueryRecord& query) { return json::encode(query, kQueryMembers); }

QueryRecord decode_query(store::ResourceAddress address, std::string_view bytes) {
  return json::decode("query", bytes, kQueryMembers, QueryRecord{.address = std::move(address)});
}

Task<std::optional<QueryRecord>> find_query(store::Snapshot& reader, store::ResourceAddress address) {
  const auto bytes = co_await reader.get(query_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_query(std::move(address), *bytes);
}

Task<std::vector<QueryRecord>> list_queries(store::Snapshot& reader, std::string_view account,
                                            std::string_view region) {
  std::vector<QueryRecord> queries;
  const store::Range all = store::resources_range(kQueryType, account, region);
  co_await reader.scan(all, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (auto address = store::resource_of_key(kQueryType, key))
      queries.push_back(decode_query(*std::move(address), value));
    return true;
  });
  std::ranges::sort(queries, [](const QueryRecord& a, const QueryRecord& b) {
    return std::tie(b.created, b.address.name) < std::tie(a.created, a.address.name);
  });
  co_return queries;
}

Task<void> erase_query(store::Transaction& txn, const store::ResourceAddress& address) {
  txn.erase(query_key(address));
  txn.erase_range(results_range(address.name));
  co_await store::cancel_timer(txn, kQueryTimer, query_key(address));
}

std::string result_key(std::string_view query_id, int64_t piece) {
  std::string key = results_range(query_id).begin;
  base::append_u32(key, static_cast<uint32_t>(piece));
  return key;
}

store::Range results_range(std::string_view query_id) {
  return store::Range::prefix(contents_range(id_bytes(query_id)).begin + kResult);
}

std::string encode_rows(const std::vector<lang::insights::ResultRow>& rows, size_t begin, size_t end) {
  std::string out;
  json::Writer writer(out);
  writer.begin_array();
  for (size_t i = begin; i < end; ++i) {
    writer.begin_array();
    for (const auto& [name, value] : rows[i]) {
      writer.string(name);
      writer.string(value);
    }
    writer.end_array();
  }
  writer.end_array();
  return out;
}

void decode_rows(std::string_view bytes, std::vector<lang::insights::ResultRow>& out) {
  const auto document = json::parse(bytes);
  if (!document || !document->is_array()) throw std::runtime_error("the stored results of a query are damaged");
  for (const json::Value& row : document->array()) {
    auto& fields = out.emplace_back();
    for (size_t i = 0; i + 1 < row.array().size(); i += 2) {
      fields.emplace_back(row.array()[i].string(), row.array()[i + 1].string());
    }
  }
}

std::string encode_pointer(const EventPointer& pointer) {
  return base::base64_encode(base::cat(pointer.group, "\n", pointer.stream, "\n", pointer.place.digits()));
}

std::optional<EventPointer> decode_pointer(std::string_view text) {
  const auto bytes = base::base64_decode(std::string(text));
  if (!bytes) return std::nullopt;
  const size_t first = bytes->find('\n');
  const size_t last = bytes->rfind('\n');
  if (first == std::string::npos || first == last) return std::nullopt;
  const auto place = EventPlace::of_digits(std::string_view(*bytes).substr(last + 1));
  if (!place) return std::nullopt;
  return EventPointer{bytes->substr(0, first), bytes->substr(first + 1, last - first - 1), *place};
}

}  // namespace tidemill::logs
