#include "services/lambda/tag_rules.h"

#include "base/text.h"
#include "services/lambda/errors.h"
#include "wire/tags.h"

namespace tidemill::lambda {

namespace {

using base::cat;

// "Tag restrictions" in the developer guide.
constexpr size_t kTagsMax = 50;

void refuse(std::string message) { throw errors::invalid_parameter_value_exception(std::move(message)); }

constexpr const char* kReserved = "A tag's key must not begin with aws:";

}  // namespace

void add_tags(Tags& tags, const Tags& added) {
  for (const auto& [key, value] : added) {
    if (!wire::is_tag_key_size(key)) refuse(cat("A tag's key must have 1 to ", wire::kTagKeyMax, " characters"));
    if (!wire::is_tag_value_size(value)) {
      refuse(cat("A tag's value must have at most ", wire::kTagValueMax, " characters"));
    }
    if (wire::is_reserved_tag_key(key)) refuse(kReserved);
    tags.insert_or_assign(key, value);
  }
  if (tags.size() > kTagsMax) refuse("Number of tags exceeds resource tag limit.");
}

void remove_tags(Tags& tags, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (!wire::may_remove_tag(tags, key)) refuse(kReserved);
    tags.erase(key);
  }
}

}  // namespace tidemill::lambda
