#include "services/pipes/execution_log.h"

#include "base/json.h"
#include "base/uuid.h"

namespace tidemill::pipes {
namespace {

namespace levels = shapes::LogLevel;

// Of what is shown of a payload; a record must fit into an event of a log.
constexpr size_t kPayloadBytesMax = 100 * 1024;

bool is_told(ExecutionLog::Level step, std::string_view level) {
  if (level == levels::kTrace) return true;
  return step == ExecutionLog::Level::error || (step == ExecutionLog::Level::info && level == levels::kInfo);
}

void write_text(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
}

// A cut within a character takes the character.
std::string_view shortened(std::string_view text) {
  if (text.size() <= kPayloadBytesMax) return text;
  size_t size = kPayloadBytesMax;
  const auto is_within = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  while (size > 0 && is_within(size)) --size;
  return text.substr(0, size);
}

}  // namespace

ExecutionLog::ExecutionLog(const ActivePipe& pipe, base::Clock& clock) : pipe_(pipe), clock_(clock) {
  if (pipe_.log) id_ = base::new_uuid();
}

void ExecutionLog::step(Level level, std::string_view step, std::string_view payload) {
  if (!pipe_.log || !is_told(level, pipe_.pipe.settings.log_configuration->level)) return;
  write(step, {}, payload);
}

void ExecutionLog::failed(std::string_view step, std::string_view error, std::string_view payload) {
  if (pipe_.log) write(step, error, payload);
}

void ExecutionLog::write(std::string_view step, std::string_view error, std::string_view payload) {
  const auto& configuration = *pipe_.pipe.settings.log_configuration;
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  write_text(writer, "resourceArn", pipe_.pipe.address.arn());
  writer.key("timestamp");
  writer.integer(std::chrono::floor<std::chrono::milliseconds>(clock_.now()).time_since_epoch().count());
  write_text(writer, "executionId", id_);
  write_text(writer, "messageType", step);
  write_text(writer, "logLevel", configuration.level);
  if (configuration.include_execution_data && !configuration.include_execution_data->empty() && !payload.empty()) {
    const std::string_view shown = shortened(payload);
    write_text(writer, "payload", shown);
    if (shown.size() < payload.size()) {
      writer.key("truncatedFields");
      writer.begin_array();
      writer.string("payload");
      writer.end_array();
    }
  }
  if (!error.empty()) {
    writer.key("error");
    writer.begin_object();
    write_text(writer, "message", error);
    writer.end_object();
  }
  writer.end_object();
  pipe_.log->line(text);
}

}  // namespace tidemill::pipes
