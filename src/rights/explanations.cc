#include "rights/explanations.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::rights {

void Explanations::add(Explained explained) {
  const std::lock_guard lock(mutex_);
  if (ring_.size() < kExplainedMax) {
    ring_.push_back(std::move(explained));
    return;
  }
  ring_[next_] = std::move(explained);
  next_ = (next_ + 1) % kExplainedMax;
}

namespace {

template <class Is>
std::optional<Explained> last_that(const std::vector<Explained>& ring, size_t next, Is is) {
  for (size_t i = 0; i < ring.size(); ++i) {
    const Explained& each = ring[(next + ring.size() - 1 - i) % ring.size()];
    if (is(each)) return each;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Explained> Explanations::find(std::string_view request_id) const {
  const std::lock_guard lock(mutex_);
  return last_that(ring_, next_, [&](const Explained& each) { return each.request_id == request_id; });
}

std::optional<Explained> Explanations::last_denied() const {
  const std::lock_guard lock(mutex_);
  return last_that(ring_, next_, [](const Explained& each) {
    return !std::ranges::all_of(each.judgments, [](const auto& judgment) { return judgment->is_allowed(); });
  });
}

json::Value document_of(const Explained& explained) {
  json::Array asks;
  for (const auto& judgment : explained.judgments) {
    json::Object ask{{"action", judgment->ask.action},
                     {"resource", judgment->ask.resource},
                     {"decision", std::string(name_of(judgment->outcome))},
                     {"because", because_of(*judgment)}};
    if (judgment->outcome == lang::policies::Outcome::implicitly_denied) {
      ask.set("allowed_by", json::parse(least_statement(judgment->ask)).value());
    }
    asks.push_back(std::move(ask));
  }
  return json::Object{{"request_id", explained.request_id},
                      {"operation", explained.operation ? name_of(*explained.operation) : std::string()},
                      {"principal", explained.principal},
                      {"asked", std::move(asks)}};
}

}  // namespace tidemill::rights
