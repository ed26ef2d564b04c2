// FilterCriteria of a stream's mapping (facts 1.10): which records the function gets at all.
//
// A record is matched as its source tells of it: a table's record as it stands in the event, with the key "dynamodb"; a
// Kinesis record by its members (partitionKey, …) with "data" decoded from base64 and, if it is JSON, parsed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mappings/filter_patterns.h"

namespace tidemill::engine {

class RecordFilter {
 public:
  // Of a mapping with `patterns` (JSON text) on `event_source_arn`. Throws lang::patterns::PatternError.
  RecordFilter(const std::vector<std::string>& patterns, std::string_view event_source_arn);

  // `event_json` as in StreamRecord. A record passes if any pattern matches.
  [[nodiscard]] bool passes(std::string_view event_json) const;

 private:
  FilterPatterns patterns_;
  bool is_kinesis_;
};

// The filter of a mapping as it is now, compiled anew only when the patterns change.
class CompiledFilter {
 public:
  // Null: every record passes. Throws lang::patterns::PatternError.
  std::shared_ptr<const RecordFilter> of(const std::vector<std::string>& patterns, std::string_view event_source_arn);

 private:
  std::shared_ptr<const RecordFilter> filter_;
  std::vector<std::string> patterns_;
};

}  // namespace tidemill::engine
