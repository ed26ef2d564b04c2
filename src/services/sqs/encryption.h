// Bodies of messages of queues with a KmsMasterKeyId, or whose SqsManagedSseEnabled was set: sealed with a data key of
// KMS when they are sent, on the sender's behalf, and opened when they are received, on the receiver's. A message keeps
// what opens it, also in a dead-letter queue and after the queue's settings have changed. Attributes are not encrypted,
// as on AWS.
#pragma once

#include <vector>

#include "services/sqs/service.h"
#include "services/sqs/taking.h"
#include "wire/context.h"

namespace tidemill::sqs {

// Nothing happens if the queue has neither. Throws KmsDisabled, KmsNotFound and the like.
Task<void> seal_bodies(Service& service, wire::Context& sender, const Queue& queue, std::vector<NewMessage>& messages);

// Of those that are sealed. Throws the same.
Task<void> open_body(Service& service, const wire::Context& receiver, const Queue& queue, Message& message);

}  // namespace tidemill::sqs
