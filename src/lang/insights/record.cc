#include "lang/insights/record.h"

#include "base/text.h"
#include "lang/insights/execution.h"

namespace tidemill::lang::insights {
namespace {

using Fields = std::map<std::string, Value>;

constexpr int kDepthMax = 32;
constexpr size_t kNameBytesMax = 1'024;  // longer ones are not discovered: each has those around it in it

void flatten(const json::Value& value, const std::string& name, int depth, Fields& out) {
  if (out.size() >= kDiscoveredFieldsMax || name.size() > kNameBytesMax) return;
  switch (value.kind()) {
    case json::Kind::null:
      return;
    case json::Kind::boolean:
      out.emplace(name, Value(value.boolean()));
      return;
    case json::Kind::number:
      out.emplace(name, Value(value.number_text()));
      return;
    case json::Kind::string:
      out.emplace(name, Value(value.string()));
      return;
    case json::Kind::array: {
      if (depth == kDepthMax) return;
      size_t index = 0;
      for (const json::Value& element : value.array()) flatten(element, base::cat(name, ".", index++), depth + 1, out);
      return;
    }
    case json::Kind::object:
      if (depth == kDepthMax) return;
      for (const auto& [member, element] : value.object()) {
        flatten(element, name.empty() ? member : base::cat(name, ".", member), depth + 1, out);
      }
  }
}

// What stands behind `label` up to the next tab, blank or end.
std::optional<std::string> word_behind(std::string_view message, std::string_view label) {
  const size_t at = message.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  message.remove_prefix(at + label.size());
  return std::string(message.substr(0, message.find_first_of(" \t\r\n")));
}

// What Lambda writes when an invocation begins and ends.
void read_lambda(std::string_view message, Fields& out) {
  std::string_view type;
  for (const std::string_view one : {"START", "END", "REPORT"}) {
    if (message.starts_with(one) && message.substr(one.size()).starts_with(" RequestId: ")) type = one;
  }
  if (type.empty()) return;
  out.emplace("@type", Value(type));
  if (auto id = word_behind(message, "RequestId: ")) out.emplace("@requestId", Value(*std::move(id)));
  if (type != "REPORT") return;
  struct Field {
    std::string_view label;
    const char* name;
    double factor;
  };
  constexpr double kMegabyte = 1e6;
  constexpr Field kFields[] = {{"\tDuration: ", "@duration", 1},
                               {"Billed Duration: ", "@billedDuration", 1},
                               {"Memory Size: ", "@memorySize", kMegabyte},
                               {"Max Memory Used: ", "@maxMemoryUsed", kMegabyte},
                               {"Init Duration: ", "@initDuration", 1}};
  for (const Field& field : kFields) {
    const auto word = word_behind(message, field.label);
    const auto number = word ? Value(*word).number() : std::nullopt;
    if (number) out.emplace(field.name, Value(*number * field.factor));
  }
}

}  // namespace

const std::map<std::string, Value>& Record::discovered() const {
  if (discovered_) return *discovered_;
  discovered_.emplace();
  if (!event_) return *discovered_;
  const std::string& message = event_->message;
  const size_t first = message.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && message[first] == '{') {
    if (const auto document = json::parse(message)) flatten(*document, "", 0, *discovered_);
  } else {
    read_lambda(message, *discovered_);
  }
  return *discovered_;
}

void Record::set(const std::string& name, Value value) {
  made_bytes_ += name.size() + value.bytes();
  if (made_bytes_ > kMadeBytesMax) throw ExecutionError("The query makes too much of one event");
  made_.insert_or_assign(name, std::move(value));
}

Value Record::get(const std::string& name) const {
  const auto made = made_.find(name);
  if (made != made_.end()) return made->second;
  if (!event_) return {};
  if (name.starts_with('@')) {
    if (name == "@message") return event_->message;
    if (name == "@timestamp") return Moment{event_->timestamp};
    if (name == "@ingestionTime") return Moment{event_->ingestion_time};
    if (name == "@logStream") return event_->stream;
    if (name == "@log") return event_->log;
    if (name == "@ptr") return event_->pointer;
  }
  const Fields& all = discovered();
  const auto found = all.find(name);
  return found == all.end() ? Value() : found->second;
}

size_t Record::bytes() const {
  constexpr size_t kOverhead = 200;
  size_t bytes = kOverhead;
  if (event_) bytes += event_->message.size() + event_->stream.size() + event_->log.size() + event_->pointer.size();
  for (const auto& [name, value] : made_)
    bytes += kOverhead + name.size() + (value.plain_text() ? value.plain_text()->size() : 0);
  if (!discovered_) return bytes;
  for (const auto& [name, value] : *discovered_) bytes += kOverhead + name.size() + value.bytes();
  return bytes;
}

}  // namespace tidemill::lang::insights
