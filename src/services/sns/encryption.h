// Texts of messages of topics with a KmsMasterKeyId: sealed with a data key of KMS while they are kept, on behalf of
// whoever publishes, and opened by the platform to be delivered. Subjects and attributes are not encrypted, as on AWS.
#pragma once

#include <vector>

#include "engine/data_keys.h"
#include "services/sns/message.h"
#include "services/sns/topic.h"
#include "wire/context.h"

namespace tidemill::sns {

// How long a data key is used: as long as those of queues unless they say otherwise.
inline constexpr std::chrono::minutes kDataKeyReuse{5};

// Has the messages sealed where they are kept, if the topic has a key. Throws KMSDisabled, KMSNotFound and the like.
Task<void> choose_sealing(engine::DataKeys& keys, wire::Context& publisher, const Topic& topic,
                          std::vector<Message>& messages);

// Throws KMS's errors.
Task<void> open_texts(engine::DataKeys& keys, wire::Platform& platform, Message& message);

}  // namespace tidemill::sns
