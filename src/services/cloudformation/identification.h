// How a resource that stands already is told to a stack: by the property that identifies it, whose value is its physical id.
#pragma once

#include <string>
#include <string_view>

#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

struct Identification {
  std::string_view type;      // "AWS::SQS::Queue"
  std::string_view property;  // "QueueUrl"
  // What fails where there is none, and the member of its document that takes the physical id.
  std::string_view service;
  std::string_view operation;
  std::string_view member;
  // If not empty: it does not fail, but answers with a list, in which one's member is the physical id.
  std::string_view list = {};
  std::string_view member_of_list = {};
  bool takes_list = false;  // `member` is a list of ids
  // A property that the operation takes under its own name, where the id alone does not tell which it is.
  std::string_view beside = {};
};

// Null: its resources cannot be told.
[[nodiscard]] const Identification* find_identification(std::string_view type);

// Whether two types are of things that have their names among each other.
[[nodiscard]] bool are_named_together(std::string_view type, std::string_view other);

// Whether there is one whose physical id this is: not another spelling of it, as of an ARN, and in the step's region.
// Throws what the operation throws where there is none, unless it is one that answers with a list.
Task<bool> stands(Step& step, const Identification& identification, std::string id, const json::Object& properties);
// Throws what the operation throws, and StepFailed, where there is no such resource.
Task<void> require_there(Step& step, const Identification& identification, std::string id, const json::Object& properties);

}  // namespace tidemill::cloudformation
