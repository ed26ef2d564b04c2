#include "lang/dynamodb/json_refusals.h"

#include <charconv>
#include <limits>

namespace tidemill::lang::dynamodb::detail {

void refuse(const std::string& message, bool prefixed) {
  throw ValueError(ValueError::Kind::validation, message, prefixed);
}

void refuse_parameter(const std::string& message, bool prefixed) {
  refuse("One or more parameter values were invalid: " + message, prefixed);
}

void refuse_around(const std::string& message) {
  throw ValueError(ValueError::Kind::validation, message).not_of_value();
}

void refuse_duplicates(const std::string& message, const std::string& newer) {
  throw ValueError(ValueError::Kind::validation, message)
      .say_newer("One or more parameter values were invalid: Input collection " + newer);
}

void refuse_json(const std::string& message) { throw ValueError(ValueError::Kind::serialization, message); }

void refuse_scalar(JsonCursor& json, std::string_view java_class, std::string_view name) {
  using Kind = JsonCursor::Kind;
  switch (json.kind()) {
    case Kind::array:
      refuse_json("Unrecognized collection type class " + std::string(java_class));
    case Kind::object:
      refuse_json("Start of structure or map found where not expected");
    case Kind::boolean:
      refuse_json((json.boolean() ? "TRUE_VALUE" : "FALSE_VALUE") + std::string(" cannot be converted to ") +
                  std::string(name));
    case Kind::number: {
      const bool integer = json.number().find_first_of(".eE") == std::string_view::npos;
      refuse_json((integer ? "NUMBER_VALUE" : "DECIMAL_VALUE") + std::string(" cannot be converted to ") +
                  std::string(name));
    }
    default:
      refuse_json("Unexpected token received from parser");
  }
}

void refuse_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    refuse_json("Base64 encoded length is expected a multiple of 4 bytes but found: " + std::to_string(text.size()));
  }
  constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  const size_t invalid = text.find_first_not_of(kCharacters);
  if (invalid != std::string_view::npos) {
    refuse_json("Invalid Base64 character: '" + std::string(text.substr(invalid, 1)) + "'");
  }
  refuse_json("Invalid last non-pad Base64 character dectected");  // AWS's spelling
}

namespace {

// Where numbers become Java's BigDecimal an exponent is an int: beyond that there is no number, and the largest one
// wraps.
std::string said_in_statement(const std::string& usual, std::string_view text) {
  constexpr int64_t kExponentMax = std::numeric_limits<int32_t>::max();
  const size_t mark = text.find_first_of("eE");
  if (mark == std::string_view::npos) return usual;
  std::string_view digits = text.substr(mark + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  if (!is_whole || exponent > kExponentMax || exponent < -kExponentMax) {
    return base::decimal_error_message(base::DecimalError::not_numeric, text);
  }
  return exponent == kExponentMax ? base::decimal_error_message(base::DecimalError::underflow, text) : usual;
}

}  // namespace

void refuse_number(base::DecimalError error, std::string_view text) {
  const std::string message = base::decimal_error_message(error, text);
  ValueError refusal(ValueError::Kind::validation, message);
  if (text.empty()) refusal.say_newer(message + ": ");
  if (error == base::DecimalError::overflow || error == base::DecimalError::underflow) {
    refusal.say_in_statement(said_in_statement(message, text));
  }
  throw refusal;
}

}  // namespace tidemill::lang::dynamodb::detail

namespace tidemill::lang::dynamodb {

namespace {

constexpr std::string_view kEmptyName = "Empty attribute name";

bool has_empty_name(ValueView value) {
  if (value.type() == Type::L) {
    for (const ValueView element : value.elements()) {
      if (has_empty_name(element)) return true;
    }
  } else if (value.type() == Type::M) {
    for (const Member member : value.members()) {
      if (member.name.empty() || has_empty_name(member.value)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> nesting_error(ItemView item) {
  for (const Member member : item.members()) {
    if (depth(member.value) > kDepthMax) return kNestedTooDeeply;
  }
  for (const Member member : item.members()) {
    if (has_empty_name(member.value)) return std::string(kEmptyName);
  }
  return std::nullopt;
}

}  // namespace tidemill::lang::dynamodb
