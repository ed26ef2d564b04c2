// The attributes of queues: what may be set, to which values, and what they mean.
#pragma once

#include <map>
#include <string>

#include "services/sqs/queue.h"
#include "wire/context.h"

namespace tidemill::sqs {

using AttributeMap = std::map<std::string, std::string>;

// Checks each name and value by itself and against the kind of queue. An empty value means the default.
// Throws InvalidAttributeName, InvalidAttributeValue, InvalidParameterValue, UnsupportedOperation.
void check_attributes(const AttributeMap& attributes, bool is_fifo);

// The attributes with `changes` made: those that are empty are removed. Throws what holds for several together.
// Truth values in lower case, in which requests need not have them.
[[nodiscard]] AttributeMap canonical(AttributeMap attributes);

// The policy as it is kept, with the ids of whom it names (engine/policy_principals.h). Throws InvalidAttributeValue.
Task<AttributeMap> with_principals(const wire::Context& context, AttributeMap attributes);

[[nodiscard]] AttributeMap with_changes(AttributeMap attributes, const AttributeMap& changes);

// What valid attributes mean.
[[nodiscard]] QueueSettings settings_of(const AttributeMap& attributes);

// The value that the attribute has, also if it was never set; nothing if the queue has none.
[[nodiscard]] std::optional<std::string> effective_attribute(const Queue& queue, const std::string& name);

// Whether there is an attribute of that name, also those that only queues have and nobody sets.
[[nodiscard]] bool is_attribute(const std::string& name);

// Throws InvalidParameterValue if the queue's redrive policy names a queue that is not there, is of the other kind, or
// does not allow it.
Task<void> check_redrive_target(store::Transaction& txn, QueueCache& queues, QueueAddress source,
                                const QueueSettings& settings);

}  // namespace tidemill::sqs
