// What a request says at a path of members: "Targets.RoleArn" of all targets, "RequestItems#" for the keys of a map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/shape_table.h"

namespace tidemill::rights {

class ValuePath {
 public:
  // Throws std::logic_error if `shape` has no such members.
  ValuePath(const wire::shapes::Shape& shape, std::string_view text);

  // Texts, numbers, truths and times (2019-06-10T23:37:31.963Z) as text, in their order. Of a whole list or map of
  // texts, all of them.
  [[nodiscard]] std::vector<std::string> values(const void* structure) const;
  // Whether anything stands there: a list or a map with something in it, and of truths that it is so.
  [[nodiscard]] bool is_given(const void* structure) const;

 private:
  const wire::shapes::Shape& shape_;
  std::vector<const wire::shapes::Member*> steps_;
  bool wants_keys_ = false;
};

}  // namespace tidemill::rights
