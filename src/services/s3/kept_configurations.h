// Configurations of which a bucket has several, by their ids: of request metrics, of inventories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/base64.h"
#include "services/s3/bucket.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {

inline constexpr size_t kConfigurationsMax = 1'000;  // of one kind
inline constexpr size_t kConfigurationsPage = 100;

[[nodiscard]] wire::Error no_such_configuration();

// Throws InvalidArgument. `id` is the request's, `own_id` that of the configuration in it.
void check_configuration_id(const std::string& id, const std::string& own_id);

// Puts one among the bucket's settings, under `prefix` and its id. Throws TooManyConfigurations.
void keep_configuration(Bucket& bucket, std::string_view prefix, std::string_view id, std::string document);

// What lists of them answer: a page of `all`, behind the id that the token tells. Throws InvalidArgument.
template <class Output, class Configuration>
[[nodiscard]] Output show_configurations(std::vector<Configuration> all, const std::optional<std::string>& token,
                                         std::optional<std::vector<Configuration>> Output::*list) {
  const auto after = token ? base::base64_decode(*token) : std::string();
  if (!after)
    throw errors::invalid_argument("The continuation token provided is incorrect", "continuation-token", *token);
  Output output;
  output.is_truncated = false;
  output.continuation_token = token;
  auto& shown = (output.*list).emplace();
  for (Configuration& configuration : all) {
    if (!after->empty() && configuration.id <= *after) continue;
    if (shown.size() == kConfigurationsPage) {
      output.is_truncated = true;
      output.next_continuation_token = base::base64_encode(shown.back().id);
      break;
    }
    shown.push_back(std::move(configuration));
  }
  return output;
}

}  // namespace tidemill::s3
