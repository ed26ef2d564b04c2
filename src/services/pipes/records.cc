#include "services/pipes/records.h"

#include <array>
#include <stdexcept>

#include "base/base64.h"
#include "base/executor.h"

namespace tidemill::pipes {
namespace {

constexpr std::array<std::string_view, 2> kIdentifiers{"messageId", "eventID"};

std::string text_member(const json::Value& object, std::string_view name) {
  const json::Value* member = object.find(name);
  return member && member->is_string() ? member->string() : "";
}

// {"kinesis":{"data":…},"eventID":…} as {"data":…,"eventID":…}.
json::Value flat(const json::Value& record, const std::string& role) {
  json::Value result = *record.find("kinesis");
  for (const auto& [name, value] : record.object()) {
    if (name != "kinesis") result.object().set(name, value);
  }
  if (result.object().find("invokeIdentityArn")) result.object().set("invokeIdentityArn", role);
  return result;
}

// A body is text, which may happen to be a number: only what looks like a document is read as one.
bool may_be_document(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

// Puts what stands in the member in the place of its text, if it is JSON.
void parse_member(Event& event, std::string_view name, const std::string& text, bool is_document) {
  auto document = is_document ? json::parse(text) : json::parse("");
  event.is_json = document.has_value();
  if (document) event.parsed.object().set(std::string(name), *std::move(document));
}

Event event_of(json::Value document) {
  Event event{.document = std::move(document)};
  event.parsed = event.document;
  if (const json::Value* body = event.document.find("body"); body && body->is_string()) {
    event.record = text_member(event.document, "messageId");
    parse_member(event, "body", body->string(), may_be_document(body->string()));
  } else if (const json::Value* data = event.document.find("data"); data && data->is_string()) {
    event.record = text_member(event.document, "sequenceNumber");
    const auto bytes = base::base64_decode(data->string());
    parse_member(event, "data", bytes.value_or(""), bytes.has_value());
  } else if (const json::Value* change = event.document.find("dynamodb")) {
    event.record = text_member(*change, "SequenceNumber");
  }
  return event;
}

}  // namespace

Task<Records> Records::of(const Pipe& pipe, std::string_view batch) {
  auto document = json::parse(batch);
  const json::Value* list = document ? document->find("Records") : nullptr;
  if (!list || !list->is_array()) throw std::runtime_error("a pipe was given what is no batch");
  Records records;
  for (const json::Value& record : list->array()) {
    if (base::slice_is_over(kStepsPerRecord)) co_await base::give_way();
    const json::Value* kinesis = record.find("kinesis");
    Event event = event_of(kinesis && kinesis->is_object() ? flat(record, pipe.settings.role_arn) : record);
    records.by_identifier_.emplace(event.record, event.record);
    for (const std::string_view name : kIdentifiers) {
      if (std::string id = text_member(event.document, name); !id.empty()) {
        records.by_identifier_.emplace(std::move(id), event.record);
      }
    }
    records.events_.push_back(std::move(event));
  }
  co_return records;
}

std::string Records::record_of(std::string_view identifier) const {
  const auto found = by_identifier_.find(identifier);
  return found == by_identifier_.end() ? "" : found->second;
}

std::string Records::record_behind(const json::Value& event) const {
  for (const std::string_view name : kIdentifiers) {
    if (const std::string id = text_member(event, name); !id.empty()) return record_of(id);
  }
  return "";
}

}  // namespace tidemill::pipes
