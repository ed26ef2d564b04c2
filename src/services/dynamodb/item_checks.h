// What every item and every key in a request must be, with AWS's messages (facts 3.1, 3.4).
#pragma once

#include <optional>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/projection.h"
#include "lang/dynamodb/update.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

inline constexpr size_t kPartitionKeySizeMax = 2048;  // bytes
inline constexpr size_t kSortKeySizeMax = 1024;

// That `key` has the table's key attributes and no others, of their types and sizes. Throws ValidationException.
void check_key(const Table& table, ItemView key);

// Whether an item that is to be put has the table's key attributes, of their types.
[[nodiscard]] bool has_key(const Table& table, ItemView item);

// That `item`, which is to be put as it is, has the table's key attributes, of their types and sizes, and attributes
// that its indexes can hold. Throws ValidationException.
void check_item_key(const Table& table, ItemView item);

// The bytes of a key's value that its limits count.
[[nodiscard]] size_t key_value_size(ValueView value);

// That a key's value is not too long. Throws ValidationException.
void check_partition_size(ValueView value);
void check_sort_size(ValueView value);
// The same of several attributes, whose bytes are added up.
void check_partition_size(size_t bytes);
void check_sort_size(size_t bytes);

// That no path leads below an attribute that is a key of the table or of one of its indexes. Throws ValidationException.
void check_scalar_keys(const Table& table, const std::optional<lang::dynamodb::Projection>& projection);
void check_scalar_keys(const Table& table, const std::optional<lang::dynamodb::Condition>& condition);
void check_scalar_keys(const Table& table, const lang::dynamodb::Update& update);

// That an item to be put is not larger than 400 KB. Throws ValidationException.
void check_item_size(ItemView item);

}  // namespace tidemill::dynamodb
