// What fields hold in Logs Insights: nothing, a number, a text or a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tidemill::lang::insights {

// Milliseconds since 1970: a number that is shown as a date. Those that functions make are no further from 1970 than
// this, more than 6,000 years.
inline constexpr double kMomentMax = 2e14;
struct Moment {
  int64_t milliseconds = 0;
  auto operator<=>(const Moment&) const = default;
};

class Value {
 public:
  Value() = default;  // nothing
  Value(double number) : data_(number) {}
  Value(bool truth) : data_(truth ? 1.0 : 0.0) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(Moment moment) : data_(moment) {}

  [[nodiscard]] bool is_nothing() const { return data_.index() == 0; }
  [[nodiscard]] bool is_moment() const { return std::holds_alternative<Moment>(data_); }
  // Also of a text that is one.
  [[nodiscard]] std::optional<double> number() const;
  // As results show it: "12", "0.3333", "2026-03-14 00:00:00.000"; of nothing "".
  [[nodiscard]] std::string text() const;
  // Of a text without copying it; nothing: it is none.
  [[nodiscard]] const std::string* plain_text() const { return std::get_if<std::string>(&data_); }
  // Of its text, beyond the value itself.
  [[nodiscard]] size_t bytes() const { return plain_text() ? plain_text()->size() : 0; }
  // In a filter: neither nothing, 0, "", nor "false".
  [[nodiscard]] bool holds() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, double, std::string, Moment> data_;
};

// As numbers if both are, otherwise as texts; nothing comes before all.
[[nodiscard]] int compare(const Value& a, const Value& b);

}  // namespace tidemill::lang::insights
