// The first so many bytes of an item's key are the same for all items of a partition key, and of few others: the store
// knows by them which of its files a read of one partition need not open. What they are: services/dynamodb/key_layout.h.
#pragma once

#include <cstddef>

namespace tidemill::store {

inline constexpr size_t kItemGroupBytes = 23;

}  // namespace tidemill::store
