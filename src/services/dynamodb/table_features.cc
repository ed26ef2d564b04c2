#include "services/dynamodb/table_features.h"

#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

json::Value features_json(const TableFeatures& features) {
  json::Object object;
  if (const TimeToLive& ttl = features.time_to_live; ttl.changed) {
    object.set("timeToLive", json::Object{{"enabled", ttl.enabled},
                                          {"attribute", ttl.attribute},
                                          {"complete", ttl.complete},
                                          {"changed", time_json(*ttl.changed)}});
  }
  if (features.recovery) {
    object.set("recovery",
               json::Object{{"since", time_json(features.recovery->since)}, {"days", features.recovery->days}});
  }
  if (const auto& restoring = features.restoring) {
    object.set("restoring", json::Object{{"backupArn", restoring->backup_arn},
                                         {"sourceArn", restoring->source_arn},
                                         {"moment", time_json(restoring->moment)}});
  }
  if (features.importing) object.set("importing", *features.importing);
  if (features.is_new_replica) object.set("isNewReplica", true);
  if (!features.copies.empty()) {
    json::Object copies;
    for (const auto& [name, from] : features.copies) copies.set(name, static_cast<int64_t>(from.value));
    object.set("copies", std::move(copies));
  }
  if (features.warm_throughput) {
    object.set("warmThroughput", warm_throughput_json(*features.warm_throughput));
  }
  if (!features.kinesis.empty()) object.set("kinesis", destinations_json(features.kinesis));
  return object;
}

TableFeatures features_from(const json::Value& json) {
  TableFeatures features;
  if (const json::Value* ttl = json.find("timeToLive")) {
    features.time_to_live = {.enabled = boolean_at(*ttl, "enabled"),
                             .attribute = text_at(*ttl, "attribute"),
                             .complete = boolean_at(*ttl, "complete"),
                             .changed = time_at(*ttl, "changed")};
  }
  if (const json::Value* recovery = json.find("recovery")) {
    features.recovery =
        PointInTimeRecovery{.since = time_at(*recovery, "since"), .days = integer_at(*recovery, "days")};
  }
  if (const json::Value* restoring = json.find("restoring")) {
    features.restoring = Restoring{.backup_arn = text_at(*restoring, "backupArn"),
                                   .source_arn = text_at(*restoring, "sourceArn"),
                                   .moment = time_at(*restoring, "moment")};
  }
  if (json.find("importing")) features.importing = text_at(json, "importing");
  features.is_new_replica = boolean_at(json, "isNewReplica");
  if (const json::Value* copies = json.find("copies"); copies && copies->is_object()) {
    for (const auto& [name, from] : copies->object()) {
      features.copies[name] = {static_cast<uint64_t>(integer_at(*copies, name))};
    }
  }
  if (const json::Value* warm = json.find("warmThroughput")) {
    features.warm_throughput = warm_throughput_from(*warm);
  }
  if (const json::Value* kinesis = json.find("kinesis")) features.kinesis = destinations_from(*kinesis);
  return features;
}

}  // namespace tidemill::dynamodb
