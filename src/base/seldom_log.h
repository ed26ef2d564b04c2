// Warnings about what may happen thousands of times at once. The first about a thing is written at once; those that follow
// within a minute are told in one line at its end, with how many there were.
//
//   log_.warn({{"kind", "lambda"}, {"target", arn}}, {{"error", what}});
//
// On one executor.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/log.h"

namespace tidemill::base {

// As log(), of fields that are made.
void log_fields(Level level, std::string_view event, std::span<const Field> fields);

class SeldomLog {
 public:
  static constexpr std::chrono::minutes kSilence{1};
  // Things that are told apart at a time. What is said of others meanwhile is counted together.
  static constexpr size_t kThingsMax = 256;

  // What has happened, as in log.h.
  explicit SeldomLog(std::string event) : event_(std::move(event)) {}
  // Tells what was not told yet.
  ~SeldomLog();
  SeldomLog(const SeldomLog&) = delete;

  // `thing`: what the line is about; `details`: more of the first line, not of those that count.
  void warn(std::vector<Field> thing, std::vector<Field> details);

 private:
  struct Silence {
    std::vector<Field> thing;
    uint64_t untold = 0;
    Alarm end;
  };
  void tell(const Silence& silence) const;
  void end(const std::string& key);

  const std::string event_;
  std::map<std::string, Silence> silences_;
};

}  // namespace tidemill::base
