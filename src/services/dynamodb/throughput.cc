#include "services/dynamodb/throughput.h"

#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

json::Value throughput_json(const Throughput& throughput) {
  json::Object object{{"readUnits", throughput.read_units},
                      {"writeUnits", throughput.write_units},
                      {"decreasesToday", throughput.decreases_today}};
  if (throughput.last_increase) object.set("lastIncrease", time_json(*throughput.last_increase));
  if (throughput.last_decrease) object.set("lastDecrease", time_json(*throughput.last_decrease));
  return object;
}

Throughput throughput_from(const json::Value& json) {
  Throughput throughput{.read_units = integer_at(json, "readUnits"), .write_units = integer_at(json, "writeUnits")};
  if (json.find("lastIncrease")) throughput.last_increase = time_at(json, "lastIncrease");
  if (json.find("lastDecrease")) throughput.last_decrease = time_at(json, "lastDecrease");
  throughput.decreases_today = integer_at(json, "decreasesToday");
  return throughput;
}

json::Value warm_throughput_json(const WarmThroughput& throughput) {
  return json::Object{{"readUnits", throughput.read_units}, {"writeUnits", throughput.write_units}};
}

WarmThroughput warm_throughput_from(const json::Value& json) {
  return {.read_units = integer_at(json, "readUnits"), .write_units = integer_at(json, "writeUnits")};
}

}  // namespace tidemill::dynamodb
