// What the operations on streams and the source of event source mappings share.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "services/dynamodb/stream.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

// The stream that a request means, in the caller's account and region. Throws ValidationException for what is no
// stream's ARN.
[[nodiscard]] StreamAddress resolve_stream(const wire::Context& context, std::string_view arn);

// Nothing if there is none, or its time is over.
Task<std::optional<Stream>> find_stream(store::Snapshot& snapshot, const StreamAddress& address, base::Time now);

// The same for requests. Throws ResourceNotFoundException.
Task<Stream> require_stream(wire::Context& context, store::Snapshot& snapshot, const StreamAddress& address);

}  // namespace tidemill::dynamodb
