// Names of members as SDK integrations spell them: as AWS's SDK for Java does, with a capital first letter. It takes
// capitals at the beginning of a name for one word: KMSMasterKeyId is KmsMasterKeyId, MD5OfMessageBody
// Md5OfMessageBody, and ETag and StreamARN stay what they are.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "wire/shape_table.h"

namespace tidemill::states::tasks {

[[nodiscard]] std::string sdk_name(std::string_view api_name);

// A document of the shape with the SDK's names as one with the API's, and the other way. What the shape does not have
// stays as it is; keys of maps are no names.
[[nodiscard]] json::Value with_api_names(json::Value document, const wire::shapes::Shape& shape);
[[nodiscard]] json::Value with_sdk_names(json::Value document, const wire::shapes::Shape& shape);

}  // namespace tidemill::states::tasks
