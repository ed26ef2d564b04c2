// ARNs of tables and streams:
//   arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
//   arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr size_t kTableNameSizeMin = 3;
inline constexpr size_t kTableNameSizeMax = 255;

// Where a table lives and what it is called.
struct TableAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  bool operator==(const TableAddress&) const = default;
};

struct StreamAddress {
  TableAddress table;
  std::string label;  // "2015-05-11T21:21:33.291"

  [[nodiscard]] std::string arn() const;
};

// Nothing if `arn` is none of that kind.
[[nodiscard]] std::optional<TableAddress> parse_table_arn(std::string_view arn);
[[nodiscard]] std::optional<StreamAddress> parse_stream_arn(std::string_view arn);

// 3..255 of a-z A-Z 0-9 _ - .
[[nodiscard]] bool is_table_name(std::string_view name);

// The table that a request's TableName means: a name in the caller's account and region, or an ARN, which must be of
// the same. Throws ValidationException for what is neither.
[[nodiscard]] TableAddress resolve_table(const wire::Context& context, std::string_view name_or_arn);

}  // namespace tidemill::dynamodb
