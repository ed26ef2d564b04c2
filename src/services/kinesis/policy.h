// Resource-based policies of streams and consumers. They are kept and checked in form; `--auth iam` enforces them (src/rights).
// In the store: KeySpace::resource, (account, region, "kinesis", "policy", stream name, consumer name or "").
#pragma once

#include <string>

#include "services/kinesis/stream_address.h"
#include "store/store.h"

namespace tidemill::kinesis {

inline constexpr size_t kPolicySizeMax = 20'480;  // bytes

// `consumer`: empty for the stream's own.
[[nodiscard]] std::string policy_key(const StreamAddress& stream, std::string_view consumer);
// Those of the stream and of all its consumers.
void erase_policies(store::Transaction& txn, const StreamAddress& stream);

}  // namespace tidemill::kinesis
