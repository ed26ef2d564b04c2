#include "services/dynamodb/throughput_rules.h"

#include "services/dynamodb/errors.h"

namespace tidemill::dynamodb {

void change_throughput(Throughput& current, int64_t read_units, int64_t write_units, base::Time now,
                       std::string_view what) {
  if (read_units == current.read_units && write_units == current.write_units) {
    const std::string name(what);
    const auto part = [&](const std::string& unit, int64_t units) {
      return " Current " + unit + " provisioned for the " + name + ": " + std::to_string(units) + ". Requested " + unit +
             ": " + std::to_string(units) + ".";
    };
    throw validation("The provisioned throughput for the " + name +
                     " will not change. The requested value equals the current value." +
                     part("ReadCapacityUnits", read_units) + part("WriteCapacityUnits", write_units) +
                     " Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
  }
  if (read_units > current.read_units || write_units > current.write_units) current.last_increase = now;
  if (read_units < current.read_units || write_units < current.write_units) {
    using std::chrono::days;
    const bool same_day = current.last_decrease &&
                          std::chrono::floor<days>(*current.last_decrease) == std::chrono::floor<days>(now);
    current.decreases_today = same_day ? current.decreases_today + 1 : 1;
    current.last_decrease = now;
  }
  current.read_units = read_units;
  current.write_units = write_units;
}

}  // namespace tidemill::dynamodb
