// What an operation asks of whoever judges: one or several times whether an action may be done to a resource.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tidemill::rights {

// Whose ARN, or condition keys, only a record tells (lookups.h).
enum class Lookup {
  none,
  caller,
  change_set,
  consumer,
  destination,  // of an API: its connection
  group,
  instance_profile,
  key,
  mapping,
  renamed_group,  // "old/new": at the path that it has
  renamed_user,
  role,
  secret,
  stack_of_resource,
  user
};

struct Ask {
  std::string action;    // "dynamodb:Query"
  std::string resource;  // an ARN, or "*"; with a lookup, the name that the request has
  // Condition keys of this ask alone, with their values.
  std::vector<std::pair<std::string, std::vector<std::string>>> facts = {};
  Lookup lookup = Lookup::none;
};

}  // namespace tidemill::rights
