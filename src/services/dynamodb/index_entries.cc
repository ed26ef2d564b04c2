#include "services/dynamodb/index_entries.h"

#include <algorithm>
#include <array>
#include <utility>

#include "services/dynamodb/item_checks.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::type_name;

// Those of the index and of the table.
constexpr size_t kEntryKeyAttributesMax = 2 * kIndexKeyAttributesMax + 2;

template <size_t... I>
std::array<ValueView, sizeof...(I)> no_values(std::index_sequence<I...>) {
  return {((void)I, ValueView(""))...};
}

bool is_empty(ValueView value) { return value.type() != Type::N && value.string().empty(); }

bool can_be_key(const KeyAttribute& attribute, ValueView value) {
  return value.type() == attribute.type && !is_empty(value);
}

// The bytes of those that the item has of these attributes.
size_t size_of(ItemView item, const std::vector<KeyAttribute>& attributes) {
  size_t size = 0;
  for (const KeyAttribute& attribute : attributes) {
    const auto value = item.find(attribute.name);
    if (value && can_be_key(attribute, *value)) size += key_value_size(*value);
  }
  return size;
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
}

// What was found of an index's key attributes of one kind.
struct KindChecked {
  bool changed = false;
  bool has_table_key = false;

  // A key of the table suits that, but may be too long for the index once the item comes in.
  [[nodiscard]] bool must_be_weighed(bool any_changed) const { return changed || (has_table_key && any_changed); }
};

KindChecked check_kind(const Table& table, const Index& index, const std::vector<KeyAttribute>& keys,
                       std::optional<ItemView> before, ItemView item) {
  KindChecked checked{.changed = !before};
  for (const KeyAttribute& key : keys) {
    if (table.is_key(key.name)) {
      checked.has_table_key = true;
      continue;
    }
    const auto value = item.find(key.name);
    if (!value || (before && before->find(key.name) == value)) continue;
    check_key_attribute(index, key, *value);
    checked.changed = true;
  }
  return checked;
}

}  // namespace

std::optional<ItemKey> entry_place(const Table& table, const Index& index, ItemView item) {
  const size_t own = index.partitions.size() + index.sorts.size();  // those of the table follow
  auto values = no_values(std::make_index_sequence<kEntryKeyAttributesMax>());
  size_t count = 0;
  size_t partition_size = 0;
  size_t sort_size = 0;
  for (const KeyAttribute& attribute : index.entry_key) {
    const auto value = item.find(attribute.name);
    if (!value) return std::nullopt;
    if (count < own) {
      if (!can_be_key(attribute, *value)) return std::nullopt;
      (count < index.partitions.size() ? partition_size : sort_size) += key_value_size(*value);
    }
    values[count++] = *value;
  }
  if (partition_size > kPartitionKeySizeMax || sort_size > kSortKeySizeMax) return std::nullopt;
  return entry_key(table.id, index.number, std::span(values.data(), count), index.partitions.size());
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
    const KindChecked partitions = check_kind(table, index, index.partitions, before, item);
    const KindChecked sorts = check_kind(table, index, index.sorts, before, item);
    // Whether or not the item has all of them.
    const bool any_changed = partitions.changed || sorts.changed;
    if (partitions.must_be_weighed(any_changed)) check_partition_size(size_of(item, index.partitions));
    if (sorts.must_be_weighed(any_changed)) check_sort_size(size_of(item, index.sorts));
  }
}

}  // namespace tidemill::dynamodb
