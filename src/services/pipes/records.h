// The batch that a mapping gives, as a pipe sees it: a list of records, each known by an identifier that its source can
// tell to a target ("itemIdentifier"), and to the mapping by another.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "services/pipes/input.h"

namespace tidemill::pipes {

// What one record is to long work (base::slice_is_over).
inline constexpr size_t kStepsPerRecord = 20;

class Records {
 public:
  // `batch` is {"Records":[…]} as functions get it. Records of data streams lose the level "kinesis", and tell the
  // role of the pipe. Throws std::runtime_error for what is no such batch. What is passed outlives the task.
  static Task<Records> of(const Pipe& pipe, std::string_view batch);

  [[nodiscard]] std::vector<Event>& events() { return events_; }

  // What the mapping knows a record by whose `messageId`, `eventID` or sequence number is told; empty: no such record.
  [[nodiscard]] std::string record_of(std::string_view identifier) const;
  // By what a returned event still tells of the record that it was made of; empty: it tells nothing.
  [[nodiscard]] std::string record_behind(const json::Value& event) const;

 private:
  std::vector<Event> events_;
  std::map<std::string, std::string, std::less<>> by_identifier_;
};

}  // namespace tidemill::pipes
