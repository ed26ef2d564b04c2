#include "engine/targets/message_attributes.h"

namespace tidemill::engine {

void append_attributes(std::string& bytes, const MessageAttributes& attributes) {
  base::append_u32(bytes, static_cast<uint32_t>(attributes.size()));
  for (const auto& [name, type, value] : attributes) {
    base::append_string(bytes, name);
    base::append_string(bytes, type);
    base::append_string(bytes, value);
  }
}

MessageAttributes read_attributes(base::OrderedReader& reader) {
  MessageAttributes attributes;
  const uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    std::string name = reader.string();
    std::string type = reader.string();
    attributes.push_back({std::move(name), std::move(type), reader.string()});
  }
  return attributes;
}

}  // namespace tidemill::engine
