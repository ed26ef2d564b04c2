// The replicas of AWS::DynamoDB::GlobalTable: what a template says of each, and how those in other regions come, change and
// go. They are made, changed and deleted through the table in the stack's region, one at a time; what AWS does not keep
// alike in all of them is changed where they stand.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

class Replicas {
 public:
  // Of properties that shall be, what does not fit together throws InvalidRequest. Of those that were, which may have
  // been refused for that, as much is taken as they say, of two in one region the first.
  enum class Said { now, before };
  Replicas(const Step& step, const json::Object& properties, Said said = Said::now);

  // That in the stack's region, as properties of AWS::DynamoDB::Table.
  [[nodiscard]] const json::Object& here() const { return here_; }
  // The others by their regions; the same, without what all have alike and is changed here.
  [[nodiscard]] const std::map<std::string, json::Object>& elsewhere() const { return elsewhere_; }

 private:
  json::Object here_;
  std::map<std::string, json::Object> elsewhere_;
};

// All wait until it is done, and may be called again. One that is there is not made again, and one that is gone not
// deleted.
Task<void> add_replica(Step& step, std::string name, std::string region, const json::Object& wanted);
Task<void> change_replica(Step& step, std::string name, std::string region, const json::Object& before,
                          const json::Object& after);
Task<void> remove_replica(Step& step, std::string name, std::string region);

}  // namespace tidemill::cloudformation
