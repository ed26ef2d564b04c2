#include "services/s3/kept_configurations.h"

#include "base/text.h"

namespace tidemill::s3 {
namespace {

constexpr size_t kIdSizeMax = 64;

}  // namespace

wire::Error no_such_configuration() {
  return errors::error("NoSuchConfiguration", 404, "The specified configuration does not exist.");
}

void check_configuration_id(const std::string& id, const std::string& own_id) {
  if (id.empty() || id.size() > kIdSizeMax) {
    throw errors::invalid_argument("The ID must have 1 to 64 characters.", "id", id);
  }
  if (own_id != id) {
    throw errors::invalid_argument("The ID in the request does not match the one in the configuration.", "id", id);
  }
}

void keep_configuration(Bucket& bucket, std::string_view prefix, std::string_view id, std::string document) {
  size_t count = 0;
  for (auto at = bucket.settings.lower_bound(std::string(prefix));
       at != bucket.settings.end() && at->first.starts_with(prefix); ++at) {
    ++count;
  }
  const std::string name = base::cat(prefix, id);
  if (!bucket.setting(name) && count >= kConfigurationsMax) {
    throw errors::error("TooManyConfigurations", 400,
                        "You are attempting to create a new configuration but have already reached the "
                        "1,000-configuration limit.");
  }
  bucket.settings[name] = std::move(document);
}

}  // namespace tidemill::s3
