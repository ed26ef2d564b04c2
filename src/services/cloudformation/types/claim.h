// Names of the user's choice. Many operations take it for success that what they are to make is there already, and
// those that refuse cannot tell a stranger's resource from the one that this step has made before a crash. So whoever
// makes a resource of a given name looks first, and remembers durably that nobody stood there: what stands there in a
// later try is this step's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// `find` is an operation that answers with one of `codes` where there is no such resource.
struct FindOperation {
  std::string service;
  std::string operation;
  json::Object document;
  std::vector<std::string_view> codes;
};

// Throws AlreadyExists.
Task<void> claim(Step& step, std::string identifier, FindOperation find);

// The same where looking is the type's own matter: whether it still has to look, and that it has found nothing.
[[nodiscard]] bool has_claimed(const Step& step);
Task<void> remember_claim(Step& step);
[[noreturn]] void refuse_existing(const Step& step, std::string_view identifier);

// The property's name, or one made up.
[[nodiscard]] std::string name_of(const Step& step, const json::Object& properties, std::string_view property,
                                  size_t size_max, NameLetters letters = NameLetters::mixed);

}  // namespace tidemill::cloudformation
