#include "store/remembered.h"

namespace tidemill::store {

Remembered& Remembered::operator=(const Remembered& other) {
  if (this == &other) return *this;
  key_ = other.key_;
  value_ = other.value_;
  version_ = other.version_.load(std::memory_order_relaxed);
  return *this;
}

Task<std::optional<Remembered>> Remembered::read(Snapshot& reader, std::string key) {
  auto value = co_await reader.get(key);
  if (!value) co_return std::nullopt;
  const Remembered result(std::move(key), *std::move(value));
  co_await result.note_read(reader);
  co_return result;
}

Task<bool> Remembered::is_current(Snapshot& reader) const {
  const Version read_at{version_.load(std::memory_order_relaxed)};
  // Of a store that began empty it is known that nothing was there at 0.
  if (read_at == Version()) return compare(reader, Task<bool>::ready(false));
  Task<bool> unchanged = reader.unchanged_since(key_, read_at);
  if (unchanged.await_ready() && unchanged.await_resume()) return Task<bool>::ready(true);
  return compare(reader, std::move(unchanged));
}

Task<bool> Remembered::compare(Snapshot& reader, Task<bool> unchanged) const {
  if (co_await unchanged) co_return true;
  const auto value = co_await reader.get(key_);
  if (!value || *value != value_) co_return false;
  co_await note_read(reader);
  co_return true;
}

// A transaction reads what it wrote itself, which may never be committed: then nothing is unchanged to it.
Task<void> Remembered::note_read(Snapshot& reader) const {
  if (!co_await reader.unchanged_since(key_, reader.version())) co_return;
  version_.store(reader.version().value, std::memory_order_relaxed);
}

}  // namespace tidemill::store
