// Says whether a pattern matches an event, without a rule.
#include <algorithm>
#include <array>

#include "lang/patterns/pattern.h"
#include "services/events/errors.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

constexpr std::array<std::string_view, 6> kRequired{"id", "account", "source", "time", "region", "detail-type"};

json::Value parse_event(const std::string& text) {
  auto event = json::parse(text);
  const bool is_event = event && event->is_object() &&
                        std::ranges::all_of(kRequired, [&](std::string_view name) { return event->find(name); });
  if (!is_event) throw invalid("Parameter Event is not valid.");
  return *std::move(event);
}

}  // namespace

Task<shapes::TestEventPatternOutput> test_event_pattern(Service&, wire::Context&,
                                                        const shapes::TestEventPatternInput& request) {
  try {
    const auto pattern = lang::patterns::Pattern::parse(request.event_pattern, lang::patterns::event_bridge());
    co_return shapes::TestEventPatternOutput{.result = pattern.matches(parse_event(request.event))};
  } catch (const lang::patterns::PatternError& error) {
    throw invalid_pattern(error.what());
  }
}

}  // namespace tidemill::events
