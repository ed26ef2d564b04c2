#include "engine/mappings/record_filter.h"

#include "base/base64.h"
#include "base/json.h"
#include "wire/arn.h"

namespace tidemill::engine {

namespace {

// The members of "kinesis", with what stands in "data".
json::Value kinesis_document(json::Value record) {
  const json::Value* kinesis = record.find("kinesis");
  if (kinesis == nullptr || !kinesis->is_object()) return record;
  json::Value document = *kinesis;
  const json::Value* data = document.find("data");
  if (data == nullptr || !data->is_string()) return document;
  const auto bytes = base::base64_decode(data->string());
  if (!bytes) return document;
  auto parsed = json::parse(*bytes);
  document.object().set("data", parsed ? *std::move(parsed) : json::Value(*bytes));
  return document;
}

}  // namespace

RecordFilter::RecordFilter(const std::vector<std::string>& patterns, std::string_view event_source_arn)
    : patterns_(patterns), is_kinesis_(wire::parse_arn_of("kinesis", event_source_arn).has_value()) {}

bool RecordFilter::passes(std::string_view event_json) const {
  auto record = json::parse(event_json);
  if (!record) return false;
  return patterns_.match(is_kinesis_ ? kinesis_document(*std::move(record)) : *std::move(record));
}

std::shared_ptr<const RecordFilter> CompiledFilter::of(const std::vector<std::string>& patterns,
                                                       std::string_view event_source_arn) {
  if (patterns.empty()) return nullptr;
  if (!filter_ || patterns_ != patterns) {
    filter_ = std::make_shared<const RecordFilter>(patterns, event_source_arn);
    patterns_ = patterns;
  }
  return filter_;
}

}  // namespace tidemill::engine
