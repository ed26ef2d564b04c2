// Values of S3 Select: what fields of rows are, and what expressions make of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/json.h"

namespace tidemill::lang::select {

namespace json = base::json;

struct Missing {};
struct Null {};
// A number that is no integer; `text` is how the document writes it, if it comes from one.
struct Real {
  double number = 0;
  std::string text;
};
// A field of a CSV file: a text that is also the number, or the truth, that it spells where one is compared with it.
struct Field {
  std::string text;
};

// json::Value: an array or an object.
using Value = std::variant<Missing, Null, bool, int64_t, Real, std::string, Field, base::Time, json::Value>;

[[nodiscard]] Value value_of(const json::Value& document);

[[nodiscard]] bool is_nothing(const Value& value);  // missing or null
// Of texts and fields; null for others.
[[nodiscard]] const std::string* text_of(const Value& value);

// An integer or a real, also of a field that spells one.
struct Number {
  bool is_integer = true;
  int64_t integer = 0;
  double real = 0;  // of integers as well
};
[[nodiscard]] std::optional<Number> number_of(const Value& value);
[[nodiscard]] std::optional<Number> number_of_text(std::string_view text);
[[nodiscard]] std::optional<bool> truth_of(const Value& value);

// What it holds in memory beside itself, about.
[[nodiscard]] size_t bytes_of(const Value& value);

// As results show it in CSV, and as CAST(… AS STRING) makes it; nothing is "".
[[nodiscard]] std::string shown(const Value& value);
// As results show it in JSON; not of what is missing.
void write_json(json::Writer& writer, const Value& value);

// Negative, zero, positive; nothing: they cannot be compared, as one is nothing or their types differ.
[[nodiscard]] std::optional<int> compare(const Value& a, const Value& b);

// ISO 8601, from a year to a fraction of a second, with an offset or Z where there is a time.
[[nodiscard]] std::optional<base::Time> parse_timestamp(std::string_view text);
[[nodiscard]] std::string shown(base::Time time);

}  // namespace tidemill::lang::select
