// A model's errors by tables: what their factories are made of (namespace errors in wire/shapes/<service>.h).
#pragma once

#include <string>
#include <string_view>

#include "wire/error.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

struct ErrorShape {
  std::string_view code;
  int status = 400;
  std::string_view message_member = "message";
  std::string_view query_code = {};  // what Query clients see instead; with the status
  int query_status = 0;
  std::string_view type = {};      // the value of its member Type: "User" or "Service"
  const Shape* members = nullptr;  // those beside the message and Type
  bool in_xml = false;             // they are elements
};

// `more`: of the C++ type of `shape.members`; nullptr: without them.
[[nodiscard]] Error make_error(const ErrorShape& shape, std::string message, const void* more = nullptr);

}  // namespace tidemill::wire::shapes
