// How requests name resources, made into what stands in ARNs: "{QueueUrl:queue}" of the tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rights/ask.h"
#include "wire/context.h"

namespace tidemill::rights {

struct Named {
  std::string text;
  Lookup lookup = Lookup::none;
};
using Naming = Named (*)(const wire::Context& context, const std::string& value, const std::string& second);

// Nothing: there is no such way of naming.
[[nodiscard]] std::optional<Naming> find_naming(std::string_view name);

}  // namespace tidemill::rights
