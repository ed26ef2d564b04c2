// Makes a table. It can be used at once; the answer says CREATING, as on AWS, and DescribeTable then ACTIVE.
#include <openssl/sha.h>

#include <algorithm>

#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_validation.h"
#include "services/dynamodb/new_table.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/policy.h"
#include "services/dynamodb/table_description.h"
#include "services/dynamodb/table_key.h"
#include "services/dynamodb/table_options.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

// Different for every table that ever was: the request's id is, too, but one request may come from inside.
TableId make_id(const wire::Context& context, const TableAddress& address) {
  const std::string text = address.arn() + "/" + context.request_id + "/" +
                           std::to_string(context.now().time_since_epoch().count());
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  TableId id;
  std::copy_n(hash, TableId::kSize, id.bytes.begin());
  id.bytes[6] = static_cast<char>((id.bytes[6] & 0x0f) | 0x40);  // so that it reads as a random UUID
  id.bytes[8] = static_cast<char>((id.bytes[8] & 0x3f) | 0x80);
  return id;
}

}  // namespace

Table make_table(const wire::Context& context, const shapes::CreateTableInput& request) {
  Table table;
  if (!request.table_name) throw validation("The parameter 'TableName' is required but was not present in the request");
  table.address = resolve_table(context, *request.table_name);
  check_bounds(request.provisioned_throughput, "");
  for (const auto& index : request.global_secondary_indexes.value_or(std::vector<shapes::GlobalSecondaryIndex>())) {
    check_bounds(index.provisioned_throughput, index.index_name);
  }
  set_billing(table, request.billing_mode, request.provisioned_throughput);
  set_keys_and_indexes(table, request);
  if (table.has_local_indexes()) table.collection_counts = Table::CollectionCounts::all;
  table.created = context.now();
  table.id = make_id(context, table.address);
  if (table.on_demand) table.on_demand_since = table.created;
  if (request.on_demand_throughput) set_on_demand_throughput(table, *request.on_demand_throughput);
  if (request.sse_specification) set_encryption(table, *request.sse_specification, table.created);
  if (request.tags) add_tags(table, *request.tags);
  table.table_class = request.table_class.value_or("");
  table.deletion_protected = request.deletion_protection_enabled.value_or(false);
  if (request.warm_throughput) set_warm_throughput(table, *request.warm_throughput);
  return table;
}

Task<shapes::CreateTableOutput> create_table(Service&, wire::Context& context,
                                             const shapes::CreateTableInput& request) {
  Table wanted = make_table(context, request);
  std::optional<ViewType> view_type;
  if (request.stream_specification) view_type = stream_view_type(*request.stream_specification);
  std::optional<Policy> policy;
  if (request.resource_policy) {
    policy = first_policy(co_await kept_policy(context, *request.resource_policy), wanted.created);
  }
  co_await settle_key(context, wanted);

  const Table table = co_await context.store().transact([&](store::Transaction& txn) -> Task<Table> {
    Table created = wanted;
    if (co_await load_table(txn, created.address)) throw table_exists(created.address.name);
    if (view_type) co_await add_stream(txn, created, *view_type, created.created);
    if (policy) save_policy(txn, {created.address}, *policy);
    save_table(txn, created);
    co_return created;
  });
  co_return shapes::CreateTableOutput{.table_description = describe_created(table)};
}

}  // namespace tidemill::dynamodb
