#include "services/lambda/tag_rules.h"

#include "base/text.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {

namespace {

using base::cat;

// "Tag restrictions" in the developer guide.
constexpr size_t kTagsMax = 50;
constexpr size_t kKeySizeMax = 128;
constexpr size_t kValueSizeMax = 256;
constexpr std::string_view kReservedPrefix = "aws:";

}  // namespace

void check_tags(const Tags& tags) {
  const auto refuse = [](std::string message) { throw errors::invalid_parameter_value_exception(std::move(message)); };
  if (tags.size() > kTagsMax) refuse("Number of tags exceeds resource tag limit.");
  for (const auto& [key, value] : tags) {
    if (key.empty() || key.size() > kKeySizeMax) refuse(cat("A tag's key must have 1 to ", kKeySizeMax, " characters"));
    if (value.size() > kValueSizeMax) refuse(cat("A tag's value must have at most ", kValueSizeMax, " characters"));
    if (key.starts_with(kReservedPrefix)) refuse("A tag's key must not begin with aws:");
  }
}

}  // namespace tidemill::lambda
