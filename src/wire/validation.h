// The constraints of the models (@required, @length, @range, @pattern, enums) and AWS's message about those that a
// request violates: all of them at once, "2 validation errors detected: Value '…' at 'keySchema.2.member.keyType'
// failed to satisfy constraint: Member must …; Value null at …". What finds them is shape_check.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wire/error.h"
#include "wire/pattern.h"

namespace tidemill::wire {

namespace shapes {
struct Member;
}

// Where a value stands in its request, on the stack of the checks; becomes text only in a message.
class Path {
 public:
  Path(const Path* parent, std::string_view name) : parent_(parent), name_(name) {}
  // Of a structure's member: spelled with a small first letter.
  Path(const Path* parent, const shapes::Member& member);
  // Of a list's element, counted from 1.
  Path(const Path* parent, size_t index) : parent_(parent), index_(index) {}
  // `as_declared`: members are spelled as in the model.
  void append_to(std::string& out, bool as_declared) const;

 private:
  const Path* parent_;
  std::string_view name_;
  size_t index_ = 0;
  bool is_member_ = false;
};

class Violations {
 public:
  static constexpr int kListedMax = 10;

  // `hide_collections`: this service never shows a list or map in its messages. `error_code`: what the service throws
  // in place of a ValidationException.
  explicit Violations(bool hide_collections, std::string_view error_code = {})
      : hide_collections_(hide_collections), error_code_(error_code) {}

  void add_missing(const Path& at) { add_text(at, false, "Value null at '", "Member must not be null"); }
  // `value` as the message shows it; without one, "Value at '…'", in terse messages with members as the model spells
  // them.
  void add(const Path& at, const std::optional<std::string>& value, std::string_view constraint, bool terse = false);
  [[nodiscard]] bool hides_collections() const { return hide_collections_; }

  [[nodiscard]] bool any() const { return count_ > 0; }
  // Throws if there is a violation.
  void raise() const {
    if (count_ > 0) throw_error();
  }

 private:
  void add_text(const Path& at, bool as_declared, std::string_view beginning, std::string_view constraint);
  [[noreturn]] void throw_error() const;

  bool hide_collections_;
  std::string_view error_code_;
  int count_ = 0;
  std::string text_;
};

// `terse`: messages show neither numbers nor collections, name members without their value as the model spells them
// ("Value at 'Limit' …"), and do not say that elements must not be null.
struct TextRule {
  size_t min = 0;  // code points; bytes of a blob
  size_t max = std::numeric_limits<size_t>::max();
  const Pattern* pattern = nullptr;
  std::span<const std::string_view> values = {};  // of an enum; empty: any
  bool sensitive = false;                         // the message must not show it
  bool blob = false;
  // Of a text that begins with "arn:", to which nothing else applies; 0: it is none. Where it may be one, AWS says of
  // an empty text no more than that it needs a character.
  size_t arn_max = 0;
  bool terse = false;
};

struct NumberRule {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  bool sensitive = false;
  bool terse = false;
};

struct CountRule {
  size_t min = 0;
  size_t max = std::numeric_limits<size_t>::max();
  bool sensitive = false;
  bool terse = false;
};

namespace shapes {

[[nodiscard]] bool satisfies(std::string_view value, const TextRule& rule);
[[nodiscard]] inline bool satisfies(int64_t value, const NumberRule& rule) {
  return value >= rule.min && value <= rule.max;
}
[[nodiscard]] inline bool satisfies(double value, const NumberRule& rule) {
  return value >= static_cast<double>(rule.min) && value <= static_cast<double>(rule.max);
}

// As messages show them.
std::string shown(int64_t value);
std::string shown(double value);

void report(std::string_view value, const TextRule& rule, const Path& at, Violations& out);
void report(double value, std::string shown, const NumberRule& rule, const Path& at, Violations& out);
void report_count(size_t count, const std::optional<std::string>& shown, const CountRule& rule, const Path& at,
                  Violations& out);
// All constraints of an element or key as the message lists them.
std::string describe(const TextRule& rule);
std::string describe(const NumberRule& rule);
std::string describe(const CountRule& rule);

}  // namespace shapes
}  // namespace tidemill::wire
