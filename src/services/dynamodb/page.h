// One page of a Query or Scan: takes the items of a range as the store yields them, until the limit or 1 MB.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/expressions.h"
#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

inline constexpr size_t kPageBytesMax = 1 << 20;  // of items as they are stored, before filter and projection

class Page {
 public:
  struct Options {
    std::optional<lang::dynamodb::Condition> filter;
    std::optional<lang::dynamodb::Projection> projection;
    std::optional<int32_t> limit;  // items looked at
    bool count_only = false;
  };

  Page(const Table& table, const Options& options) : table_(table), options_(options) {}

  // One entry of the scan; false ends it.
  bool take(std::string_view key, std::string_view value);

  std::vector<Item> items;
  int32_t count = 0;          // that passed the filter
  int32_t scanned_count = 0;
  size_t bytes = 0;           // looked at

  // Where to go on; nothing if the range is finished. A page that ends with the limit names a key even if nothing
  // follows, as on AWS.
  [[nodiscard]] std::optional<Item> last_evaluated_key() const;

 private:
  const Table& table_;
  const Options& options_;
  bool stopped_ = false;
  std::string last_key_;
};

// ExclusiveStartKey: that it could have been a LastEvaluatedKey of this table. Throws ValidationException.
void check_start_key(const Table& table, ItemView start_key);

// That Select goes together with ProjectionExpression or AttributesToGet. Throws ValidationException.
void check_select(MessageStyle style, const std::optional<std::string>& select,
                  const std::optional<std::string>& projection_expression,
                  const std::optional<std::vector<std::string>>& attributes_to_get,
                  const std::optional<std::string>& index_name);

// That the table has this index. Throws ValidationException.
void check_index(const std::optional<std::string>& index_name);

}  // namespace tidemill::dynamodb
