#include "services/states/history.h"

#include <algorithm>
#include <cstdio>

#include "base/ordered.h"

namespace tidemill::states {
namespace {

// Seconds with milliseconds, as the API has them.
std::string seconds_text(base::Time time) {
  const int64_t ms = std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
  char buffer[32];
  const int size = std::snprintf(buffer, sizeof(buffer), "%lld.%03d", static_cast<long long>(ms / 1000),
                                 static_cast<int>(ms % 1000));
  return {buffer, static_cast<size_t>(size)};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

uint64_t first_event_of(std::string_view key, size_t prefix_size) {
  base::OrderedReader reader(key.substr(prefix_size));
  return reader.u64();
}

}  // namespace

uint64_t HistoryWriter::add(std::string_view type, uint64_t previous, base::Time time, std::string_view details_name,
                            const std::function<void(json::Writer&)>& write) {
  const uint64_t id = next_++;
  if (!is_kept_) return id;
  json::Writer writer(text_);
  writer.begin_object();
  writer.key("timestamp");
  writer.raw(seconds_text(time));
  writer.key("type");
  writer.string(type);
  writer.key("id");
  writer.integer(id);
  writer.key("previousEventId");
  writer.integer(previous);
  if (!details_name.empty()) {
    writer.key(details_name);
    writer.begin_object();
    if (write) write(writer);
    writer.end_object();
  }
  writer.end_object();
  text_.push_back('\n');
  return id;
}

void write_data(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
  writer.key(std::string(name) + "Details");
  writer.raw("{\"truncated\":false}");
}

Task<HistoryPage> read_history(store::Snapshot& snapshot, ExecutionId id, uint64_t from, size_t limit, bool reverse) {
  const std::string prefix = history_prefix(id);
  store::Range range = store::Range::prefix(prefix);
  HistoryPage page;
  size_t bytes = 0;
  const auto is_full = [&](std::string_view line) {
    bytes += line.size();
    return page.events.size() == limit || (!page.events.empty() && bytes > kHistoryPageBytesMax);
  };
  if (reverse) {
    if (from > 0) range.end = history_key(id, from + 1);
    co_await snapshot.scan(range, store::Direction::reverse, [&](std::string_view key, std::string_view value) {
      const uint64_t first = first_event_of(key, prefix.size());
      const auto lines = lines_of(value);
      for (size_t i = lines.size(); i-- > 0;) {
        if (from > 0 && first + i > from) continue;
        if (is_full(lines[i])) {
          page.next = first + i;
          return false;
        }
        page.events.emplace_back(lines[i]);
      }
      return true;
    });
    co_return page;
  }
  if (from > 1) {  // the record in which it stands may begin before it
    co_await snapshot.scan({prefix, history_key(id, from + 1)}, store::last(1),
                           [&](std::string_view key, std::string_view) {
                             range.begin = key;
                             return false;
                           });
  }
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    uint64_t event = first_event_of(key, prefix.size());
    for (const std::string_view line : lines_of(value)) {
      if (event++ < from) continue;
      if (is_full(line)) {
        page.next = event - 1;
        return false;
      }
      page.events.emplace_back(line);
    }
    return true;
  });
  co_return page;
}

}  // namespace tidemill::states
