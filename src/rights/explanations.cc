#include "rights/explanations.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace tidemill::rights {

namespace {

bool allows(const std::shared_ptr<const Judgment>& judgment) { return judgment->is_allowed(); }

void leave_out(Explained& explained) {
  auto& judgments = explained.judgments;
  if (judgments.size() <= kJudgmentsExplainedMax) return;
  const auto denied = static_cast<size_t>(std::ranges::find_if_not(judgments, allows) - judgments.begin());
  if (denied < judgments.size()) std::swap(judgments[denied], judgments[std::min(denied, kJudgmentsExplainedMax - 1)]);
  explained.left_out = judgments.size() - kJudgmentsExplainedMax;
  judgments.resize(kJudgmentsExplainedMax);
  judgments.shrink_to_fit();
}

// A judgment that others share counts for each.
size_t bytes_of(const Explained& explained) {
  size_t bytes = sizeof(Explained) + explained.request_id.size() + explained.principal.size();
  for (const auto& judgment : explained.judgments) bytes += sizeof(judgment) + bytes_of(*judgment);
  return bytes;
}

}  // namespace

void Explanations::add(Explained explained) {
  leave_out(explained);
  const size_t bytes = bytes_of(explained);
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && (kept_.size() >= kExplainedMax || bytes_ + bytes > kExplainedBytesMax)) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
  bytes_ += bytes;
  kept_.push_back({std::move(explained), bytes});
}

template <class Is>
std::optional<Explained> Explanations::last_that(Is is) const {
  const std::lock_guard lock(mutex_);
  for (auto each = kept_.rbegin(); each != kept_.rend(); ++each) {
    if (!is(each->explained)) continue;
    Explained found = each->explained;
    if (!found.operation) found.operation = operation_of(found.request_id);
    return found;
  }
  return std::nullopt;
}

const wire::OperationInfo* Explanations::operation_of(std::string_view request_id) const {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.explained.operation && kept.explained.request_id == request_id;
  });
  return found == kept_.end() ? nullptr : found->explained.operation;
}

std::optional<Explained> Explanations::find(std::string_view request_id) const {
  return last_that([&](const Explained& each) { return each.request_id == request_id; });
}

std::optional<Explained> Explanations::last_denied() const {
  return last_that([](const Explained& each) { return !std::ranges::all_of(each.judgments, allows); });
}

json::Value document_of(const Explained& explained) {
  json::Array asks;
  std::set<std::string> texts;
  for (const auto& judgment : explained.judgments) {
    json::Object ask{{"action", judgment->ask.action},
                     {"resource", judgment->ask.resource},
                     {"decision", std::string(name_of(judgment->outcome))},
                     {"because", because_of(*judgment)}};
    if (judgment->outcome == lang::policies::Outcome::implicitly_denied) {
      ask.set("allowed_by", json::parse(least_statement(judgment->ask)).value());
    }
    if (texts.insert(json::write(ask)).second) asks.push_back(std::move(ask));
  }
  json::Object document{{"request_id", explained.request_id},
                        {"operation", explained.operation ? name_of(*explained.operation) : std::string()},
                        {"principal", explained.principal},
                        {"asked", std::move(asks)}};
  if (explained.left_out > 0) document.set("left_out", static_cast<int64_t>(explained.left_out));
  return document;
}

}  // namespace tidemill::rights
