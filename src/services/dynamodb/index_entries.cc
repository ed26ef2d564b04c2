#include "services/dynamodb/index_entries.h"

#include <algorithm>
#include <array>

#include "services/dynamodb/item_checks.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::type_name;

bool is_empty(ValueView value) { return value.type() != Type::N && value.string().empty(); }

size_t key_size_max(const Index& index, const KeyAttribute& attribute) {
  return attribute.name == index.partition.name ? kPartitionKeySizeMax : kSortKeySizeMax;
}

bool can_be_key(const Index& index, const KeyAttribute& attribute, ValueView value) {
  return value.type() == attribute.type && !is_empty(value) && key_value_size(value) <= key_size_max(index, attribute);
}

wire::Error wrong_type(const Index& index, const KeyAttribute& attribute, Type actual) {
  return invalid_parameters("Type mismatch for Index Key " + attribute.name +
                            " Expected: " + std::string(type_name(attribute.type)) +
                            " Actual: " + std::string(type_name(actual)) + " IndexName: " + index.name);
}

RequestError empty_key(const Index& index, const KeyAttribute& attribute) {
  return RequestError(validation(
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The "
      "AttributeValue for a key attribute cannot contain an empty " +
      std::string(attribute.type == Type::S ? "string" : "binary") + " value. IndexName: " + index.name +
      ", IndexKey: " + attribute.name));
}

void check_key_attribute(const Index& index, const KeyAttribute& attribute, ValueView value) {
  if (value.type() != attribute.type) throw wrong_type(index, attribute, value.type());
  if (is_empty(value)) throw empty_key(index, attribute);
  if (attribute.name == index.partition.name) check_partition_size(value);
  else check_sort_size(value);
}

}  // namespace

std::optional<ItemKey> entry_place(const Table& table, const Index& index, ItemView item) {
  // At most two key attributes of the index and two of the table.
  std::array<ValueView, 4> values{ValueView(""), ValueView(""), ValueView(""), ValueView("")};
  size_t count = 0;
  for (const KeyAttribute& attribute : index.entry_key) {
    const auto value = item.find(attribute.name);
    if (!value || (index.is_key(attribute.name) && !can_be_key(index, attribute, *value))) return std::nullopt;
    values[count++] = *value;
  }
  return entry_key(table.id, index.number, std::span(values.data(), count));
}

ItemView projected_part(const Index& index, ItemView item, Item& storage) {
  if (index.projection == Index::Projection::all) return item;
  lang::dynamodb::MembersBuilder builder;
  for (const auto& member : item.members()) {
    if (index.projects(member.name)) builder.add(member.name, member.value);
  }
  storage = builder.build_item();
  return storage;
}

Item key_of_entry(const Index& index, std::string_view key) {
  std::vector<KeyPart> parts;
  for (const KeyAttribute& attribute : index.entry_key) parts.push_back({attribute.name, attribute.type});
  return entry_key_attributes(key, parts);
}

void visit_entry_changes(const Table& table, std::span<const Index> indexes, std::optional<ItemView> before,
                         std::optional<ItemView> after, const std::function<void(const EntryChange&)>& visit) {
  for (const Index& index : indexes) {
    std::optional<ItemKey> place_before;
    std::optional<ItemKey> place_after;
    if (before) place_before = entry_place(table, index, *before);
    if (after) place_after = entry_place(table, index, *after);
    if (!place_before && !place_after) continue;
    Item storage_before;
    Item storage_after;
    const EntryChange change{.index = index,
                             .place_before = place_before,
                             .place_after = place_after,
                             .before = place_before ? projected_part(index, *before, storage_before) : ItemView(),
                             .after = place_after ? projected_part(index, *after, storage_after) : ItemView()};
    // Entries hold their key attributes: equal ones stand at the same place.
    if (place_before && place_after && change.before == change.after) continue;
    visit(change);
  }
}

void write_entries(store::Transaction& txn, const Table& table, std::optional<ItemView> before,
                   std::optional<ItemView> after) {
  if (table.indexes.empty()) return;
  visit_entry_changes(table, table.indexes, before, after, [&txn](const EntryChange& change) {
    if (change.place_before && (!change.place_after || change.moves())) txn.erase(change.place_before->bytes);
    if (change.place_after) txn.put(change.place_after->bytes, change.after.encoded());
  });
}

void check_index_keys(const Table& table, std::optional<ItemView> before, ItemView item) {
  for (const Index& index : table.indexes) {
    for (const KeyAttribute* attribute : {&index.partition, index.sort ? &*index.sort : nullptr}) {
      if (!attribute) continue;
      const auto value = item.find(attribute->name);
      if (table.is_key(attribute->name)) {  // it suits the table, but may be too long to sort by
        if (attribute->name == table.partition.name && attribute->name != index.partition.name) check_sort_size(*value);
        continue;
      }
      if (!value || (before && before->find(attribute->name) == value)) continue;
      check_key_attribute(index, *attribute, *value);
    }
  }
}

}  // namespace tidemill::dynamodb
