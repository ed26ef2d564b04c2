#include "wire/pattern.h"

#include <re2/re2.h>

#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

namespace tidemill::wire {

namespace {

// "[a-zA-Z0-9_.-]+" is most of what the hot operations check, and needs no automaton.
struct RepeatedClass {
  std::bitset<256> allowed;
  bool may_be_empty = false;
};

// Of a pattern that is one class of plain ASCII characters and ranges, repeated; nothing for any other.
std::optional<RepeatedClass> parse_repeated_class(std::string_view text) {
  if (text.size() < 4 || text.front() != '[' || text[1] == '^') return {};
  RepeatedClass result;
  if (text.ends_with("]*")) {
    result.may_be_empty = true;
  } else if (!text.ends_with("]+")) {
    return {};
  }
  const std::string_view inside = text.substr(1, text.size() - 3);
  for (size_t i = 0; i < inside.size(); ++i) {
    const auto first = static_cast<uint8_t>(inside[i]);
    if (first >= 0x80 || first == '\\' || first == '[' || first == ']' || first == '&') return {};
    if (i + 2 < inside.size() && inside[i + 1] == '-') {
      const auto last = static_cast<uint8_t>(inside[i + 2]);
      if (last < first || last >= 0x80 || last == '\\' || last == '[') return {};
      for (unsigned c = first; c <= last; ++c) result.allowed.set(c);
      i += 2;
    } else {
      result.allowed.set(first);
    }
  }
  return result;
}

}  // namespace

struct Pattern::Compiled {
  std::optional<RepeatedClass> simple;
  std::unique_ptr<RE2> automaton;
};

Pattern::~Pattern() { delete compiled_.load(std::memory_order_acquire); }

const Pattern::Compiled& Pattern::compiled() const {
  if (const Compiled* ready = compiled_.load(std::memory_order_acquire)) return *ready;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Compiled* ready = compiled_.load(std::memory_order_acquire)) return *ready;
  auto made = std::make_unique<Compiled>();
  made->simple = parse_repeated_class(text_);
  if (!made->simple) {
    RE2::Options options;
    options.set_log_errors(false);
    made->automaton = std::make_unique<RE2>(re2::StringPiece(text_.data(), text_.size()), options);
    if (!made->automaton->ok()) {
      throw std::logic_error("malformed pattern " + std::string(text_) + ": " + made->automaton->error());
    }
  }
  compiled_.store(made.get(), std::memory_order_release);
  return *made.release();
}

bool Pattern::matches(std::string_view text) const {
  const Compiled& pattern = compiled();
  if (!pattern.simple) return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern.automaton);
  if (text.empty()) return pattern.simple->may_be_empty;
  for (const char c : text) {
    if (!pattern.simple->allowed[static_cast<uint8_t>(c)]) return false;
  }
  return true;
}

}  // namespace tidemill::wire
