#include "services/lambda/event_source_mapping_rules.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {

namespace {

constexpr std::string_view kUserAction = "User action";
constexpr std::string_view kUserInitiated = "USER_INITIATED";

constexpr std::array kSources{
    SourceRules{kTableStream, "arn:aws:dynamodb:", 100, kUserAction, true},
    SourceRules{kDataStream, "arn:aws:kinesis:", 100, kUserAction, true},
    SourceRules{kQueue, "arn:aws:sqs:", 10, kUserInitiated, false},
};

}  // namespace

const SourceRules* find_source_rules(std::string_view event_source_arn) {
  const auto found = std::ranges::find_if(
      kSources, [&](const SourceRules& source) { return event_source_arn.starts_with(source.arn_prefix); });
  return found == kSources.end() ? nullptr : &*found;
}

const SourceRules& source_rules(const engine::Mapping& mapping) {
  const SourceRules* rules = find_source_rules(mapping.event_source_arn);
  if (rules == nullptr) throw std::runtime_error("an event source mapping has an unknown source");
  return *rules;
}

void check_has(const SourceRules& source, const OptionRule& option, bool is_given) {
  if (!is_given || (option.sources & source.kind) != 0) return;
  throw errors::invalid_parameter_value_exception(
      base::cat("Unsupported ", option.refusal_name, " parameter for given event source mapping type."));
}

bool is_fifo(std::string_view arn) { return arn.ends_with(".fifo"); }

}  // namespace tidemill::lambda
