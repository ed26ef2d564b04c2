#include "services/sns/backoff_policy.h"

#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;
using std::chrono::seconds;

constexpr size_t kAttributeNameMax = 256;

wire::Error wrong(std::string_view why) { return invalid_parameter(cat("TidemillBackoff Reason: ", why)); }

seconds read_seconds(const json::Value& value, std::string_view member, int64_t least) {
  const auto number = value.to_double();
  if (!number || *number != std::floor(*number) || *number < static_cast<double>(least) ||
      *number > static_cast<double>(BackoffPolicy::kWaitMax.count())) {
    throw wrong(cat(member, " must be whole seconds from ", least, " to ", BackoffPolicy::kWaitMax.count()));
  }
  return seconds(static_cast<int64_t>(*number));
}

std::vector<seconds> read_ladder(const json::Value& value) {
  if (!value.is_array() || value.array().empty() || value.array().size() > BackoffPolicy::kStepsMax) {
    throw wrong(cat("LadderSeconds must be a list of 1 to ", BackoffPolicy::kStepsMax, " waits"));
  }
  std::vector<seconds> ladder;
  for (const json::Value& wait : value.array()) {
    ladder.push_back(read_seconds(wait, "LadderSeconds", 0));
    if (ladder.size() > 1 && ladder.back() < ladder[ladder.size() - 2]) throw wrong("LadderSeconds must not fall");
  }
  return ladder;
}

std::string read_name(const json::Value& value, std::string_view member) {
  if (!value.is_string() || value.string().empty() || value.string().size() > kAttributeNameMax) {
    throw wrong(cat(member, " must be the name of a message attribute"));
  }
  return value.string();
}

void read_member(const std::string& name, const json::Value& value, BackoffPolicy& policy) {
  if (name == "LadderSeconds")
    policy.ladder = read_ladder(value);
  else if (name == "ResetSeconds")
    policy.reset = read_seconds(value, name, 1);
  else if (name == "PrincipalAttribute")
    policy.principal_attribute = read_name(value, name);
  else if (name == "CauseAttribute")
    policy.cause_attribute = read_name(value, name);
  else
    throw wrong(cat("unknown member ", name));
}

}  // namespace

BackoffPolicy parse_backoff_policy(std::string_view text) {
  BackoffPolicy policy;
  if (text == "true") return policy;
  const auto document = json::parse(text);
  if (!document || !document->is_object()) throw wrong("must be \"true\" or a JSON object");
  for (const auto& [name, value] : document->object()) read_member(name, value, policy);
  return policy;
}

}  // namespace tidemill::sns
