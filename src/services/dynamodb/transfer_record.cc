#include "services/dynamodb/transfer_record.h"

#include "base/json_members.h"

namespace tidemill::dynamodb {

namespace {

// What was begun before callers were kept goes on as it began: as the platform.
engine::Caller read_caller(const json::Record& in) {
  const auto kept = in.find_text("caller");
  if (!kept) return engine::Caller{.is_platform = true};
  return json::decode<engine::Caller>("caller of a transfer", *kept, engine::kCallerMembers);
}

}  // namespace

TransferRecord read_transfer(TransferKind kind, const json::Record& in) {
  auto address = parse_transfer_arn(kind, in.text("arn"));
  if (!address) in.damaged("arn");
  TransferRecord record{.address = *std::move(address),
                        .status = status_from_name(in.text("status")),
                        .table = read_table_id(in, "table"),
                        .token = in.text("token"),
                        .caller = read_caller(in),
                        .started = in.time("started"),
                        .ended = in.find_time("ended")};
  if (const auto code = in.find_text("failure_code")) {
    record.failure = TransferFailure{*code, in.text("failure_message")};
  }
  return record;
}

TableId read_table_id(const json::Record& in, std::string_view name) {
  const auto id = TableId::from_uuid(in.text(name));
  if (!id) in.damaged(name);
  return *id;
}

void save_transfer(store::Transaction& txn, const TransferRecord& record,
                   const std::function<void(json::Writer&)>& write_more) {
  std::string bytes;
  json::Writer writer(bytes);
  writer.begin_object();
  json::write_member(writer, "arn", record.address.arn());
  json::write_member(writer, "status", status_name(record.status));
  json::write_member(writer, "table", record.table.uuid());
  json::write_member(writer, "token", record.token);
  json::write_member(writer, "caller", json::encode(record.caller, engine::kCallerMembers));
  json::write_member(writer, "started", record.started);
  if (record.ended) json::write_member(writer, "ended", *record.ended);
  if (record.failure) {
    json::write_member(writer, "failure_code", record.failure->code);
    json::write_member(writer, "failure_message", record.failure->message);
  }
  write_more(writer);
  writer.end_object();
  txn.put(transfer_key(record.address), bytes);
}

Task<std::optional<std::string>> load_transfer(store::Snapshot& snapshot, const TransferAddress& address) {
  const std::string key = transfer_key(address);
  co_return co_await snapshot.get(key);
}

}  // namespace tidemill::dynamodb
