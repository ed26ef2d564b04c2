// The attributes of a message to a queue or a topic, as deliveries keep them.
#pragma once

#include <string>
#include <vector>

#include "base/ordered.h"

namespace tidemill::engine {

struct MessageAttribute {
  std::string name;
  std::string type;   // "String", "Number.int", "Binary"
  std::string value;  // raw bytes if the type is Binary
};
using MessageAttributes = std::vector<MessageAttribute>;

void append_attributes(std::string& bytes, const MessageAttributes& attributes);
// Of damaged bytes it is whatever was readable, and the reader is not ok().
[[nodiscard]] MessageAttributes read_attributes(base::OrderedReader& reader);

// Into a request's member MessageAttributes, of SQS or SNS; none leave it out.
template <class Map>
void set_attributes(const MessageAttributes& attributes, std::optional<Map>& member) {
  if (attributes.empty()) return;
  Map& map = member.emplace();
  for (const auto& [name, type, value] : attributes) {
    auto& attribute = map[name];
    attribute.data_type = type;
    (type.starts_with("Binary") ? attribute.binary_value : attribute.string_value) = value;
  }
}

}  // namespace tidemill::engine
