// TagResource, UntagResource, ListTagsOfResource: a table's tags are part of its description.
#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/expiry.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/table_options.h"
#include "wire/tags.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kTagsPerPage = 10;

TableAddress resolve_resource(const wire::Context& context, std::string_view operation, const std::string& arn) {
  const auto address = parse_table_arn(arn);
  if (!address || address->region != context.region) {
    throw validation("Invalid TableArn: Invalid ResourceArn provided as input " + arn);
  }
  if (address->account != context.account) {
    throw wire::Error("AccessDeniedException", 400,
                      base::cat("User: arn:aws:iam::", context.account,
                                ":root is not authorized to perform: dynamodb:", operation, " on resource: ", arn,
                                " because no resource-based policy allows the dynamodb:", operation, " action"));
  }
  return *address;
}

wire::Error tagged_resource_not_found(const std::string& arn) {
  wire::Error error = resource_not_found();
  error.message += ": ResourcArn: " + arn + " not found";  // spelled so on AWS
  return error;
}

// Changes the tags of the table in one transaction.
template <class Change>
Task<void> change_tags(wire::Context& context, std::string_view operation, const std::string& arn, Change change) {
  const TableAddress address = resolve_resource(context, operation, arn);
  co_await context.store().transact([&](store::Transaction& txn) -> Task<void> {
    std::optional<Table> table = co_await load_usable_table(txn, address);
    if (!table) throw tagged_resource_not_found(arn);
    const bool was_lazy = expires_lazily(*table);
    change(*table);
    if (table->features.time_to_live.enabled && expires_lazily(*table) != was_lazy) {
      // The entries of all items stand at other times now.
      co_await stop_expiring(txn, *table);
      table->features.time_to_live.complete = false;
      co_await start_expiring(txn, *table, context.now());
    }
    save_table(txn, *table);
  });
}

}  // namespace

Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(context, "TagResource", request.resource_arn,
                       [&](Table& table) { add_tags(table, request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(context, "UntagResource", request.resource_arn, [&](Table& table) {
    for (const std::string& key : request.tag_keys) {
      if (!wire::may_remove_tag(table.tags, key)) throw reserved_tag_key(key);
    }
    wire::erase_tags(table.tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsOfResourceOutput> list_tags_of_resource(Service&, wire::Context& context,
                                                             const shapes::ListTagsOfResourceInput& request) {
  const TableAddress address = resolve_resource(context, "ListTagsOfResource", request.resource_arn);
  const auto snapshot = context.store().snapshot();
  const std::optional<Table> table = co_await load_usable_table(*snapshot, address);
  if (!table) throw tagged_resource_not_found(request.resource_arn);

  shapes::ListTagsOfResourceOutput output;
  auto& tags = output.tags.emplace();
  // The token is the key of the page's last tag.
  for (auto tag = request.next_token ? table->tags.upper_bound(*request.next_token) : table->tags.begin();
       tag != table->tags.end(); ++tag) {
    if (tags.size() == kTagsPerPage) {
      output.next_token = tags.back().key;
      break;
    }
    tags.push_back({.key = tag->first, .value = tag->second});
  }
  co_return output;
}

}  // namespace tidemill::dynamodb
