#include "services/dynamodb/page.h"

#include "services/dynamodb/item_checks.h"

namespace tidemill::dynamodb {

bool Page::take(std::string_view key, std::string_view value) {
  const ItemView item(value);
  const size_t size = lang::dynamodb::item_size(item);
  if (scanned_count > 0 && bytes + size > kPageBytesMax) {
    stopped_ = true;
    return false;
  }
  bytes += size;
  ++scanned_count;
  last_key_ = key;
  if (!options_.filter || evaluate(*options_.filter, item)) {
    ++count;
    if (!options_.count_only) {
      items.push_back(options_.projection ? lang::dynamodb::apply(*options_.projection, item) : Item(item));
    }
  }
  stopped_ = options_.limit && scanned_count >= *options_.limit;
  return !stopped_;
}

std::optional<Item> Page::last_evaluated_key() const {
  if (!stopped_) return std::nullopt;
  return key_attributes(last_key_, table_.key_schema());
}

void check_start_key(const Table& table, ItemView start_key) {
  try {
    check_key(table, start_key);
  } catch (const wire::Error& error) {
    throw validation("The provided starting key is invalid: " + error.message);
  }
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

void check_index(const std::optional<std::string>& index_name) {
  if (index_name) throw validation("The table does not have the specified index: " + *index_name);
}

}  // namespace tidemill::dynamodb
