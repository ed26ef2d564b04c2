#include "engine/mappings/queue_filter.h"

#include "base/json.h"

namespace tidemill::engine {

namespace {

bool may_be_document(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

}  // namespace

bool QueueFilter::passes(std::string_view event_json) const {
  if (is_empty()) return true;
  auto record = json::parse(event_json);
  if (!record || !record->is_object()) return false;
  json::Value* body = record->object().find("body");
  if (body && body->is_string() && may_be_document(body->string())) {
    if (auto document = json::parse(body->string())) *body = *std::move(document);
  }
  return patterns_.match(*std::move(record));
}

}  // namespace tidemill::engine
