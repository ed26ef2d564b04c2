#include "services/dynamodb/read_source.h"

#include "services/dynamodb/index_entries.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/write_item.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kInvalidStartKey = "The provided starting key is invalid";

wire::Error no_such_index(const std::string& name) {
  return validation("The table does not have the specified index: " + name);
}

void check_table_key(const Table& table, ItemView key) {
  try {
    check_key(table, key);
  } catch (const wire::Error& error) {
    throw validation(std::string(kInvalidStartKey) + ": " + error.message);
  }
}

}  // namespace

ReadSource::ReadSource(TablePtr table, const std::optional<std::string>& index_name, bool consistent)
    : table_(std::move(table)) {
  if (!index_name) return;
  index_ = table_->find_index(*index_name);
  if (!index_) throw no_such_index(*index_name);
  if (index_->status == Index::Status::creating) {
    throw validation("Cannot read from backfilling global secondary index: " + index_->name);
  }
  if (consistent && !index_->is_local()) {
    throw validation("Consistent reads are not supported on global secondary indexes");
  }
}

lang::dynamodb::KeySchema ReadSource::key_schema() const {
  return index_ ? index_->key_schema() : table_->key_schema();
}

store::Range ReadSource::query_range(const lang::dynamodb::KeyCondition& condition) const {
  return index_ ? entry_query_range(table_->id, index_->number, condition)
                : dynamodb::query_range(table_->id, condition);
}

store::Range ReadSource::segment_range(uint32_t segment, uint32_t total_segments) const {
  return dynamodb::segment_range(table_->id, segment, total_segments, index_ ? index_->number : kTableIndex);
}

ItemKey ReadSource::start_place(ItemView start_key) const {
  if (!index_) {
    check_table_key(*table_, start_key);
    return key_in(*table_, start_key);
  }
  Item table_key;
  size_t found = 0;
  for (const KeyAttribute& attribute : index_->entry_key) {
    const auto value = start_key.find(attribute.name);
    if (!value) throw validation(std::string(kInvalidStartKey));
    ++found;
    if (table_->is_key(attribute.name)) table_key.set(attribute.name, *value);
  }
  if (start_key.count() != found) throw validation(std::string(kInvalidStartKey));
  check_table_key(*table_, table_key);
  auto place = entry_place(*table_, *index_, start_key);
  if (!place) {
    throw validation(std::string(kInvalidStartKey) + ": The provided key element does not match the schema");
  }
  return *std::move(place);
}

Item ReadSource::key_at(std::string_view key) const {
  return index_ ? key_of_entry(*index_, key) : key_attributes(key, table_->key_schema());
}

ItemKey ReadSource::item_place(std::string_view entry_key) const {
  return key_in(*table_, key_of_entry(*index_, entry_key));
}

ConsumedUnits ReadSource::units(size_t bytes, double fetch_units, bool consistent) const {
  const double own = read_units(bytes, consistent);
  if (!index_) return own;
  ConsumedUnits consumed(fetch_units);
  consumed.add(*index_, own);
  return consumed;
}

}  // namespace tidemill::dynamodb
