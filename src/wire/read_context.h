// What a request's readers know of it beside its text.
#pragma once

#include <optional>
#include <string_view>

#include "wire/element_room.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire::shapes {

struct ReadContext {
  const OperationInfo& operation;
  // A value is of the right type but wrong in itself. Thrown once the request is read and its constraints are checked:
  // AWS reports types first, then constraints, then values. The first one stays.
  std::optional<Error> deferred = {};
  // The model's name of the @cppType that is being read.
  std::string_view shape = {};
  ElementRoom room = {};
};

}  // namespace tidemill::wire::shapes
