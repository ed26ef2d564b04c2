#include "services/dynamodb/item_checks.h"

#include <algorithm>

#include "base/text.h"
#include "services/dynamodb/index_entries.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::type_name;

void check_not_empty(std::string_view name, ValueView value) {
  if (value.type() == Type::N || !value.string().empty()) return;
  throw empty_key_value(name, value.type());
}

ValueView key_value(ItemView key, const KeyAttribute& attribute) {
  const auto value = key.find(attribute.name);
  if (!value || value->type() != attribute.type) {
    throw validation("The provided key element does not match the schema");
  }
  return *value;
}

ValueView item_key_value(ItemView item, const KeyAttribute& attribute) {
  const auto value = item.find(attribute.name);
  if (!value) throw invalid_parameters("Missing the key " + attribute.name + " in the item");
  if (value->type() != attribute.type) {
    throw invalid_parameters("Type mismatch for key " + attribute.name +
                             " expected: " + std::string(type_name(attribute.type)) +
                             " actual: " + std::string(type_name(value->type())));
  }
  return *value;
}

void check_values(const Table& table, ValueView partition, std::optional<ValueView> sort) {
  check_not_empty(table.partition.name, partition);
  if (sort) check_not_empty(table.sort->name, *sort);
  check_partition_size(partition);
  if (sort) check_sort_size(*sort);
}

// `path` may be empty.
void check_scalar_keys(const Table& table, const lang::dynamodb::Path& path) {
  if (path.steps.size() < 2) return;
  const auto refuse = [&](std::string_view kind) {
    return validation(base::cat("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ",
                                kind, ": ", path.attribute()));
  };
  if (table.is_key(path.attribute())) throw refuse("Key");
  const auto is_its_key = [&](const Index& index) { return index.is_key(path.attribute()); };
  if (std::ranges::any_of(table.indexes, is_its_key)) throw refuse("IndexKey");
}

}  // namespace

void check_key(const Table& table, ItemView key) {
  const ValueView partition = key_value(key, table.partition);
  std::optional<ValueView> sort;
  if (table.sort) sort = key_value(key, *table.sort);
  if (key.count() != (table.sort ? 2u : 1u)) throw validation("The provided key element does not match the schema");
  check_values(table, partition, sort);
}

bool has_key(const Table& table, ItemView item) {
  const auto has = [&](const KeyAttribute& attribute) {
    const auto value = item.find(attribute.name);
    return value && value->type() == attribute.type;
  };
  return has(table.partition) && (!table.sort || has(*table.sort));
}

void check_item_key(const Table& table, ItemView item) {
  const ValueView partition = item_key_value(item, table.partition);
  std::optional<ValueView> sort;
  if (table.sort) sort = item_key_value(item, *table.sort);
  check_values(table, partition, sort);
  check_index_keys(table, std::nullopt, item);
}

size_t key_value_size(ValueView value) {
  return value.type() == Type::N ? value.number_encoded().size() : value.string().size();
}

void check_partition_size(ValueView value) { check_partition_size(key_value_size(value)); }

void check_sort_size(ValueView value) { check_sort_size(key_value_size(value)); }

void check_partition_size(size_t bytes) {
  if (bytes <= kPartitionKeySizeMax) return;
  throw invalid_parameters("Size of hashkey has exceeded the maximum size limit of2048 bytes");  // AWS has no space
}

void check_sort_size(size_t bytes) {
  if (bytes <= kSortKeySizeMax) return;
  throw invalid_parameters("Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
}

void check_scalar_keys(const Table& table, const std::optional<lang::dynamodb::Projection>& projection) {
  if (!projection) return;
  for (const lang::dynamodb::Path& path : projection->paths) check_scalar_keys(table, path);
}

void check_scalar_keys(const Table& table, const std::optional<lang::dynamodb::Condition>& condition) {
  if (!condition) return;
  for (const auto& operand : condition->operands) check_scalar_keys(table, operand.path);
}

void check_scalar_keys(const Table& table, const lang::dynamodb::Update& update) {
  for (const lang::dynamodb::Path& path : update.paths.paths) check_scalar_keys(table, path);
  for (const lang::dynamodb::Path& path : update.operand_paths) check_scalar_keys(table, path);
}

void check_item_size(ItemView item) {
  // By AWS's rules an item is at most twice its encoding (a list of nulls), so most need no exact count.
  if (item.encoded().size() <= lang::dynamodb::kItemSizeMax / 2) return;
  if (lang::dynamodb::item_size(item) > lang::dynamodb::kItemSizeMax) {
    throw validation("Item size has exceeded the maximum allowed size");
  }
}

}  // namespace tidemill::dynamodb
