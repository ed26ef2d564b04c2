// The options that CreateTable and UpdateTable share: checked and put into the table's description.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/table.h"
#include "wire/error.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

inline constexpr size_t kTagsMax = 50;  // of a table

// All throw ValidationException.

// BillingMode with ProvisionedThroughput, as CreateTable takes them.
void set_billing(Table& table, const std::optional<std::string>& billing_mode,
                 const std::optional<wire::dynamodb::ProvisionedThroughput>& throughput);
void set_on_demand_throughput(Table& table, const wire::dynamodb::OnDemandThroughput& throughput);
void set_encryption(Table& table, const wire::dynamodb::SSESpecification& specification, base::Time now);
// What is said of keys of AWS's own.
[[nodiscard]] wire::Error reserved_tag_key(std::string_view key);
// For what is no tag, for keys that repeat and for too many tags.
void add_tags(Table& table, const std::vector<wire::dynamodb::Tag>& tags);

// The view type of a stream to be switched on; nothing if the specification switches it off.
[[nodiscard]] std::optional<ViewType> stream_view_type(const wire::dynamodb::StreamSpecification& specification);

// Gives the table a new stream, with a label that no earlier stream of this name had.
Task<void> add_stream(store::Transaction& txn, Table& table, ViewType view_type, base::Time now);

}  // namespace tidemill::dynamodb
