#include "engine/queue_filter.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/log.h"

namespace tidemill::engine {

namespace {

// What comes to a record after filtering, and cannot be asked for.
constexpr std::array<std::string_view, 3> kAddedLater{"eventSource", "eventSourceARN", "awsRegion"};

bool may_be_document(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

}  // namespace

QueueFilter::QueueFilter(const std::vector<std::string>& patterns) : is_empty_(patterns.empty()) {
  for (const std::string& text : patterns) {
    try {
      patterns_.push_back(lang::patterns::Pattern::parse(text, lang::patterns::lambda_filter()));
    } catch (const lang::patterns::PatternError& error) {
      base::log_error("a mapping's filter cannot be read; it matches nothing",
                      {{"pattern", text}, {"what", error.what()}});
    }
  }
}

bool QueueFilter::passes(std::string_view event_json) const {
  if (is_empty_) return true;
  auto record = json::parse(event_json);
  if (!record || !record->is_object()) return false;
  for (const std::string_view name : kAddedLater) record->object().erase(name);
  json::Value* body = record->object().find("body");
  if (body && body->is_string() && may_be_document(body->string())) {
    if (auto document = json::parse(body->string())) *body = *std::move(document);
  }
  return std::ranges::any_of(patterns_, [&](const auto& pattern) { return pattern.matches(*record); });
}

}  // namespace tidemill::engine
