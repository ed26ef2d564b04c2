#include "services/dynamodb/replication.h"

#include <algorithm>

#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

const Replica* Replication::find(std::string_view region) const {
  const auto found = std::ranges::find(others, region, &Replica::region);
  return found == others.end() ? nullptr : &*found;
}

void Replication::remove(std::string_view region) {
  std::erase_if(others, [region](const Replica& replica) { return replica.region == region; });
}

json::Value replication_json(const Replication& replication) {
  json::Array others;
  for (const Replica& replica : replication.others) {
    json::Object object{{"region", replica.region}, {"id", replica.id.uuid()}};
    if (replica.sourced) object.set("sourced", time_json(*replica.sourced));
    others.push_back(std::move(object));
  }
  return json::Object{{"group", replication.group.uuid()}, {"others", std::move(others)}};
}

Replication replication_from(const json::Value& json) {
  Replication replication;
  replication.group = TableId::from_uuid(text_at(json, "group")).value_or(TableId());
  const json::Value* others = json.find("others");
  if (!others || !others->is_array()) return replication;
  for (const json::Value& each : others->array()) {
    Replica replica{.region = text_at(each, "region")};
    replica.id = TableId::from_uuid(text_at(each, "id")).value_or(TableId());
    if (each.find("sourced")) replica.sourced = time_at(each, "sourced");
    replication.others.push_back(std::move(replica));
  }
  return replication;
}

}  // namespace tidemill::dynamodb
