// Puts, updates, deletes and checks up to 100 items of any tables: all of it happens, or nothing.
#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/collection_metrics.h"
#include "services/dynamodb/item_writes.h"
#include "services/dynamodb/transaction.h"

namespace tidemill::dynamodb {

namespace {

// By the action's kind: what its request is called in a fingerprint.
constexpr std::string_view kPut = "Put", kUpdate = "Update", kDelete = "Delete", kCheck = "ConditionCheck";

// What all four actions have in common.
template <class Action>
void add_common(Fingerprint& fingerprint, const Action& action) {
  fingerprint.add(std::string_view(action.table_name))
      .add(action.expression_attribute_names)
      .add(action.expression_attribute_values)
      .add(action.return_values_on_condition_check_failure);
}

void add(Fingerprint& fingerprint, const shapes::TransactWriteItem& item) {
  if (item.put) {
    add_common(fingerprint.add(kPut), *item.put);
    fingerprint.add(item.put->item.view()).add(item.put->condition_expression);
  } else if (item.update) {
    add_common(fingerprint.add(kUpdate), *item.update);
    fingerprint.add(item.update->key.view())
        .add(std::string_view(item.update->update_expression))
        .add(item.update->condition_expression);
  } else if (item.delete_) {
    add_common(fingerprint.add(kDelete), *item.delete_);
    fingerprint.add(item.delete_->key.view()).add(item.delete_->condition_expression);
  } else {
    add_common(fingerprint.add(kCheck), *item.condition_check);
    fingerprint.add(item.condition_check->key.view())
        .add(std::string_view(item.condition_check->condition_expression));
  }
}

Fingerprint fingerprint_of(const shapes::TransactWriteItemsInput& request) {
  Fingerprint fingerprint;
  for (const shapes::TransactWriteItem& item : request.transact_items) add(fingerprint, item);
  return fingerprint;
}

// An action's items may nest too deep still: AWS finds that action by action, keys behind the action's expressions.
void check_nesting(const Item& item) {
  if (auto error = lang::dynamodb::nesting_error(item)) throw validation(*std::move(error));
}
void check_nesting(const std::optional<Item>& values) {
  if (values) check_nesting(*values);
}

TransactedWrite parse(const shapes::Put& put) {
  check_nesting(put.item);
  return {put.table_name,
          make_put({.table_name = put.table_name,
                    .item = put.item,
                    .condition_expression = put.condition_expression,
                    .expression_attribute_names = put.expression_attribute_names,
                    .expression_attribute_values = put.expression_attribute_values,
                    .return_values_on_condition_check_failure = put.return_values_on_condition_check_failure},
                   MessageStyle::bare)};
}

TransactedWrite parse(const shapes::Update& update) {
  return {update.table_name,
          make_update({.table_name = update.table_name,
                       .key = update.key,
                       .update_expression = update.update_expression,
                       .condition_expression = update.condition_expression,
                       .expression_attribute_names = update.expression_attribute_names,
                       .expression_attribute_values = update.expression_attribute_values,
                       .return_values_on_condition_check_failure = update.return_values_on_condition_check_failure},
                      MessageStyle::bare)};
}

TransactedWrite parse(const shapes::Delete& erase) {
  return {erase.table_name,
          make_delete({.table_name = erase.table_name,
                       .key = erase.key,
                       .condition_expression = erase.condition_expression,
                       .expression_attribute_names = erase.expression_attribute_names,
                       .expression_attribute_values = erase.expression_attribute_values,
                       .return_values_on_condition_check_failure = erase.return_values_on_condition_check_failure},
                      MessageStyle::bare)};
}

TransactedWrite parse(const shapes::ConditionCheck& check) { return {check.table_name, make_condition_check(check)}; }

TransactedWrite parse(const shapes::TransactWriteItem& item) {
  const int actions = item.condition_check.has_value() + item.put.has_value() + item.delete_.has_value() +
                      item.update.has_value();
  if (actions != 1) throw validation("TransactItems can only contain one of Check, Put, Update or Delete");
  const auto checked = [](const auto& action, const Item& key) {
    check_nesting(action.expression_attribute_values);
    TransactedWrite write = parse(action);
    check_nesting(key);
    return write;
  };
  if (item.put) return checked(*item.put, item.put->item);
  if (item.update) return checked(*item.update, item.update->key);
  if (item.delete_) return checked(*item.delete_, item.delete_->key);
  return checked(*item.condition_check, item.condition_check->key);
}

// By the rules for items: what the request brings, not what it finds.
size_t size_of(const shapes::TransactWriteItem& item) {
  const auto sum = [](const Item& attributes, const std::optional<Item>& values) {
    return lang::dynamodb::item_size(attributes) + (values ? lang::dynamodb::item_size(*values) : 0);
  };
  if (item.put) return sum(item.put->item, item.put->expression_attribute_values);
  if (item.update) return sum(item.update->key, item.update->expression_attribute_values);
  if (item.delete_) return sum(item.delete_->key, item.delete_->expression_attribute_values);
  return sum(item.condition_check->key, item.condition_check->expression_attribute_values);
}

Task<void> add_collections(Service& service, wire::Context& context, const shapes::TransactWriteItemsInput& request,
                           shapes::TransactWriteItemsOutput& output) {
  const auto& asked = request.return_item_collection_metrics;
  if (asked != "SIZE") co_return;
  const auto snapshot = context.store().snapshot();
  for (const shapes::TransactWriteItem& item : request.transact_items) {
    if (item.condition_check) continue;
    const std::string& name = item.put ? item.put->table_name : item.update ? item.update->table_name
                                                                            : item.delete_->table_name;
    const Item& key = item.put ? item.put->item : item.update ? item.update->key : item.delete_->key;
    const TableAddress address = resolve_table(context, name);
    const TablePtr table = co_await service.tables().find(*snapshot, address);
    if (!table || !key.find(table->partition.name)) continue;  // it has been deleted meanwhile
    co_await add_collection_metrics(context, asked, *table, key, output.item_collection_metrics);
  }
}

}  // namespace

Task<shapes::TransactWriteItemsOutput> transact_write_items(Service& service, wire::Context& context,
                                                            const shapes::TransactWriteItemsInput& request) {
  std::vector<TransactedWrite> writes;
  size_t bytes = 0;
  for (const shapes::TransactWriteItem& item : request.transact_items) {
    writes.push_back(parse(item));
    bytes += size_of(item);
  }
  check_transaction_size(bytes);
  std::optional<RequestToken> token;
  if (request.client_request_token) {
    token = request_token(context, "TransactWriteItems", *request.client_request_token, fingerprint_of(request));
  }
  const TransactionResult result = co_await write_transaction(service, context, std::move(writes), std::move(token),
                                                              request.return_consumed_capacity);
  shapes::TransactWriteItemsOutput output{
      .consumed_capacity = result.usage.consumed(request.return_consumed_capacity, result.kind)};
  co_await add_collections(service, context, request, output);
  co_return output;
}

}  // namespace tidemill::dynamodb
