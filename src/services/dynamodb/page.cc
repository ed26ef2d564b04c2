#include "services/dynamodb/page.h"

#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/large_reads.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

using lang::dynamodb::Condition;

Task<void> Page::read(store::Snapshot& snapshot, store::Range range, store::Direction direction,
                      base::BlockingWork* large_items) {
  const size_t limit = options_.limit ? static_cast<size_t>(*options_.limit) : store::kNoLimit;
  const store::EntryVisitor visit = [this](std::string_view key, std::string_view value) { return take(key, value); };
  co_await scan_large(snapshot, std::move(range), {direction, limit}, visit, large_items,
                      passes_of(paths_of(options_.filter)));
}

bool Page::take(std::string_view key, std::string_view value) {
  const ItemView item(value);
  ++scanned_count;
  const bool found = !options_.filter || evaluate(*options_.filter, item);
  if (found) ++count;
  if (found && writes_whole_items()) {
    bytes += append_json(item);
  } else {
    bytes += lang::dynamodb::item_size(item);
    if (found && fetches_)
      found_.push_back({std::string(key), scanned_count, bytes});
    else if (found)
      add(item);
  }
  stopped_ = bytes >= kPageBytesMax || (options_.limit && scanned_count >= *options_.limit);
  if (stopped_) last_key_ = key;
  return !stopped_;
}

void Page::add(ItemView item) {
  if (options_.count_only) return;
  if (options_.form == ItemForm::encoded) {
    items_.items.push_back(options_.projection ? lang::dynamodb::apply(*options_.projection, item) : Item(item));
    return;
  }
  if (options_.projection)
    append_json(lang::dynamodb::apply(*options_.projection, item));
  else
    append_json(item);
}

size_t Page::append_json(ItemView item) {
  items_.json.push_back(items_.json.empty() ? '[' : ',');
  return lang::dynamodb::append_json(items_.json, item);
}

std::optional<ItemPage> Page::take_items() {
  if (options_.count_only) return std::nullopt;
  if (options_.form == ItemForm::json) items_.json.append(items_.json.empty() ? "[]" : "]");
  return std::move(items_);
}

Task<void> Page::fetch(store::Snapshot& snapshot, bool consistent, base::BlockingWork* large_items) {
  size_t fetched_bytes = 0;
  for (size_t i = 0; i < found_.size(); ++i) {
    if (fetched_bytes >= kPageBytesMax) {
      const Found& last = found_[i - 1];
      stopped_ = true;
      last_key_ = last.key;
      scanned_count = last.scanned_count;
      bytes = last.bytes;
      count = static_cast<int32_t>(i);
      co_return;
    }
    const auto stored = co_await snapshot.get(source_.item_place(found_[i].key).bytes);
    size_t size = 0;
    co_await wire::do_large_joined(large_items, stored ? stored->size() : 0, [this, &stored, &size] {
      if (!stored) return;
      size = lang::dynamodb::item_size(ItemView(*stored));
      add(ItemView(*stored));
    });
    fetched_bytes += size;
    fetch_units += read_units(size, consistent);
  }
}

std::optional<Item> Page::last_evaluated_key() const {
  if (!stopped_) return std::nullopt;
  return source_.key_at(last_key_);
}

void check_select(MessageStyle style, const std::optional<std::string>& select,
                  const std::optional<std::string>& projection_expression,
                  const std::optional<std::vector<std::string>>& attributes_to_get,
                  const std::optional<std::string>& index_name) {
  if (!select) return;
  if (*select == "ALL_PROJECTED_ATTRIBUTES" && !index_name) {
    throw validation(style, "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  }
  if (*select == "SPECIFIC_ATTRIBUTES") {
    if (projection_expression || attributes_to_get) return;
    throw validation(style,
                     "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES");
  }
  if (!projection_expression && !attributes_to_get) return;
  throw validation(style, std::string("Cannot specify the ") +
                              (attributes_to_get ? "AttributesToGet" : "ProjectionExpression") +
                              " when choosing to get " + (*select == "COUNT" ? "only the Count" : *select));
}

bool must_fetch(const ReadSource& source, const std::optional<std::string>& select, const Page::Options& options) {
  const Index* index = source.index();
  if (!index || index->projection == Index::Projection::all) return false;
  if (select == "ALL_ATTRIBUTES") {
    if (index->is_local()) return true;
    throw invalid_parameters("Select type ALL_ATTRIBUTES is not supported for global secondary index " + index->name +
                             " because its projection type is not ALL");
  }
  if (!options.projection) return false;
  std::vector<std::string_view> attributes;
  for (const auto& path : options.projection->paths) attributes.push_back(path.attribute());
  const std::string missing = not_projected(*index, attributes);
  if (missing.empty() || index->is_local()) return !missing.empty();
  throw invalid_parameters("Global secondary index " + index->name + " does not project " + missing);
}

void check_query_filter(const ReadSource& source, const std::optional<Condition>& filter,
                        std::string_view filter_name) {
  if (!filter) return;
  const lang::dynamodb::KeySchema schema = source.key_schema();
  std::vector<lang::dynamodb::KeySchema::Attribute> keys = schema.partitions();
  for (const auto& key : schema.sorts()) keys.push_back(key);
  for (const auto& key : keys) {
    if (!filter->mentions(key.name)) continue;
    throw validation(std::string(filter_name) +
                     " can only contain non-primary key attributes: Primary key attribute: " + std::string(key.name));
  }
  if (!source.index()) return;
  const std::string missing = not_projected(*source.index(), attributes_of(*filter));
  if (missing.empty()) return;
  throw invalid_parameters("Secondary index " + source.index()->name +
                           " does not project one or more filter attributes: " + missing);
}

std::vector<std::string_view> attributes_of(const Condition& condition) {
  std::vector<std::string_view> attributes;
  for (const auto& operand : condition.operands) {
    if (!operand.path.steps.empty()) attributes.push_back(operand.path.attribute());
  }
  return attributes;
}

}  // namespace tidemill::dynamodb
