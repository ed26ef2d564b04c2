// Labels on queues.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/sqs/queue.h"

namespace tidemill::sqs {

inline constexpr size_t kTagsMax = 50;

// Throws InvalidParameterValue for keys and values that are too long or have other characters than tags may have, for
// keys of AWS's own, which it takes away only where they are there, and for too many.
void change_tags(Queue& queue, const std::map<std::string, std::string>& added,
                 const std::vector<std::string>& removed);

}  // namespace tidemill::sqs
