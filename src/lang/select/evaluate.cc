#include "lang/select/evaluate.h"

#include <re2/re2.h>

#include <cmath>

#include "base/text.h"
#include "lang/select/records.h"

namespace tidemill::lang::select {
namespace {

using Kind = Node::Kind;

Value truth(std::optional<bool> known) { return known ? Value(*known) : Value(Null{}); }

// Of a condition's part; nothing: it is unknown.
std::optional<bool> known_truth(const Value& value) {
  if (is_nothing(value)) return std::nullopt;
  const auto found = truth_of(value);
  if (!found)
    throw SelectError("InvalidDataType",
                      "The SQL expression contains a data type that is not valid where a condition is wanted.");
  return found;
}

SelectError overflow() {
  return {"IntegerOverflow", "An integer overflow or underflow occurred in the SQL expression."};
}

Value arithmetic_of_integers(char sign, int64_t a, int64_t b) {
  int64_t result = 0;
  bool is_over = false;
  switch (sign) {
    case '+':
      is_over = __builtin_add_overflow(a, b, &result);
      break;
    case '-':
      is_over = __builtin_sub_overflow(a, b, &result);
      break;
    case '*':
      is_over = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) throw SelectError("EvaluatorInvalidArguments", "Division by zero in the SQL expression.");
      if (b == -1) {
        is_over = sign == '/' && __builtin_sub_overflow(int64_t{0}, a, &result);
      } else {
        result = sign == '/' ? a / b : a % b;
      }
  }
  if (is_over) throw overflow();
  return result;
}

Value arithmetic(const std::string& sign, const Value& a, const Value& b) {
  if (is_nothing(a) || is_nothing(b)) return Null{};
  if (sign == "||") {
    if (!text_of(a) || !text_of(b))
      throw SelectError("InvalidDataType",
                        "The SQL expression contains a data type that is not valid: || takes texts.");
    return base::cat(*text_of(a), *text_of(b));
  }
  const auto left = number_of(a);
  const auto right = number_of(b);
  if (!left || !right)
    throw SelectError("InvalidDataType",
                      "The SQL expression contains a data type that is not valid: arithmetic takes numbers.");
  if (left->is_integer && right->is_integer) return arithmetic_of_integers(sign[0], left->integer, right->integer);
  if (right->real == 0 && (sign == "/" || sign == "%"))
    throw SelectError("EvaluatorInvalidArguments", "Division by zero in the SQL expression.");
  double result = 0;
  switch (sign[0]) {
    case '+':
      result = left->real + right->real;
      break;
    case '-':
      result = left->real - right->real;
      break;
    case '*':
      result = left->real * right->real;
      break;
    case '/':
      result = left->real / right->real;
      break;
    default:
      result = std::fmod(left->real, right->real);
  }
  if (!std::isfinite(result)) throw overflow();
  return Real{result, {}};
}

std::optional<bool> comparison(const std::string& sign, const Value& a, const Value& b) {
  if (is_nothing(a) || is_nothing(b)) return std::nullopt;
  const auto order = compare(a, b);
  // Of different types nothing is equal, and nothing less.
  if (sign == "=") return order && *order == 0;
  if (sign == "!=") return !order || *order != 0;
  if (!order) return std::nullopt;
  if (sign == "<") return *order < 0;
  if (sign == "<=") return *order <= 0;
  return sign == ">" ? *order > 0 : *order >= 0;
}

class Evaluation {
 public:
  Evaluation(const Row& row, const Circumstances& circumstances) : row_(row), circumstances_(circumstances) {}

  [[nodiscard]] Value of(const Node& node) const {
    switch (node.kind) {
      case Kind::constant:
        return node.value;
      case Kind::path:
        return column(node.path);
      case Kind::arithmetic:
        return made(arithmetic(node.name, of(*node.parts[0]), of(*node.parts[1])));
      case Kind::opposite:
        return arithmetic("-", int64_t{0}, of(*node.parts[0]));
      case Kind::is: {
        const Value value = of(*node.parts[0]);
        return node.name == "MISSING" ? std::holds_alternative<Missing>(value) : is_nothing(value);
      }
      case Kind::choice:
        return choice(node);
      case Kind::cast:
        return made(cast_to(node.name, of(*node.parts[0])));
      case Kind::aggregate:
        return circumstances_.aggregates ? made((*circumstances_.aggregates)[node.aggregate]) : Value();
      case Kind::call:
        if (node.name == "COALESCE") return coalesced(node);
        return made(call_function(node, values_of(node.parts), circumstances_.now));
      default:
        return truth(condition(node));
    }
  }

 private:
  // Counts what has come about.
  [[nodiscard]] Value made(Value value) const {
    made_bytes_ += bytes_of(value);
    if (made_bytes_ > kMadeBytesMax) throw made_too_much();
    return value;
  }

  [[nodiscard]] Value column(const Path& path) const {
    if (circumstances_.is_abandoned && *circumstances_.is_abandoned)
      throw SelectError("Busy", "Nobody waits for the results of the query any more.");
    return made(row_.get(path));
  }

  [[nodiscard]] Value coalesced(const Node& node) const {
    for (const NodePtr& part : node.parts) {
      if (Value value = of(*part); !is_nothing(value)) return value;
    }
    return Null{};
  }

  [[nodiscard]] std::vector<Value> values_of(const std::vector<NodePtr>& parts) const {
    std::vector<Value> values;
    values.reserve(parts.size());
    for (const NodePtr& part : parts) values.push_back(of(*part));
    return values;
  }

  [[nodiscard]] Value choice(const Node& node) const {
    const Value subject = node.has_subject ? of(*node.parts[0]) : Value();
    const auto is_chosen = [&](const Value& condition) {
      const auto known = node.has_subject ? comparison("=", subject, condition) : known_truth(condition);
      return known.value_or(false);
    };
    size_t i = node.has_subject ? 1 : 0;
    for (; i + 1 < node.parts.size(); i += 2) {
      if (is_chosen(of(*node.parts[i]))) return of(*node.parts[i + 1]);
    }
    return i < node.parts.size() ? of(*node.parts[i]) : Value(Null{});
  }

  [[nodiscard]] std::optional<bool> condition(const Node& node) const {
    switch (node.kind) {
      case Kind::both: {
        const auto left = known_truth(of(*node.parts[0]));
        if (left == false) return false;
        const auto right = known_truth(of(*node.parts[1]));
        return right == false ? right : left && right ? std::optional(true) : std::nullopt;
      }
      case Kind::either: {
        const auto left = known_truth(of(*node.parts[0]));
        if (left == true) return true;
        const auto right = known_truth(of(*node.parts[1]));
        return right == true ? right : left && right ? std::optional(false) : std::nullopt;
      }
      case Kind::negation: {
        const auto inner = known_truth(of(*node.parts[0]));
        return inner ? std::optional(!*inner) : std::nullopt;
      }
      case Kind::comparison:
        return comparison(node.name, of(*node.parts[0]), of(*node.parts[1]));
      case Kind::among:
        return among(node);
      case Kind::between: {
        const Value value = of(*node.parts[0]);
        const auto above = comparison(">=", value, of(*node.parts[1]));
        const auto below = comparison("<=", value, of(*node.parts[2]));
        if (above == false || below == false) return false;
        return above && below ? std::optional(true) : std::nullopt;
      }
      default:
        return like(node);
    }
  }

  [[nodiscard]] std::optional<bool> among(const Node& node) const {
    const Value value = of(*node.parts[0]);
    bool is_unknown = is_nothing(value);
    for (size_t i = 1; i < node.parts.size(); ++i) {
      const auto same = comparison("=", value, of(*node.parts[i]));
      if (same == true) return true;
      is_unknown = is_unknown || !same;
    }
    return is_unknown ? std::nullopt : std::optional(false);
  }

  [[nodiscard]] std::optional<bool> like(const Node& node) const {
    const std::vector<Value> values = values_of(node.parts);
    for (const Value& value : values) {
      if (is_nothing(value)) return std::nullopt;
      if (!text_of(value))
        throw SelectError("LikeInvalidInputs", "Invalid argument given to the LIKE clause in the SQL expression.");
    }
    const auto pattern = node.pattern ? node.pattern
                                      : compile_like(*text_of(values[1]),
                                                     values.size() > 2 ? std::string_view(*text_of(values[2])) : "");
    return re2::RE2::FullMatch(*text_of(values[0]), *pattern);
  }

  const Row& row_;
  const Circumstances& circumstances_;
  mutable size_t made_bytes_ = 0;
};

}  // namespace

SelectError made_too_much() { return {"OverMaxRecordSize", "The SQL expression makes too much of one record."}; }

Value evaluate(const Node& node, const Row& row, const Circumstances& circumstances) {
  return Evaluation(row, circumstances).of(node);
}

bool holds(const Node& node, const Row& row, const Circumstances& circumstances) {
  return known_truth(evaluate(node, row, circumstances)).value_or(false);
}

void Aggregate::add(const Row& row, const Circumstances& circumstances) {
  if (call_->parts.empty()) {
    ++count_;
    return;
  }
  Value value = evaluate(*call_->parts[0], row, circumstances);
  if (is_nothing(value)) return;
  ++count_;
  if (call_->name == "COUNT") return;
  const auto number = number_of(value);
  if (call_->name == "MAX" || call_->name == "MIN") {
    // A field that spells a number is one here.
    if (number && std::holds_alternative<Field>(value))
      value = number->is_integer ? Value(number->integer) : Value(Real{number->real, {}});
    const auto order = is_nothing(best_) ? std::optional(call_->name == "MAX" ? 1 : -1) : compare(value, best_);
    if (!order || (call_->name == "MAX" ? *order <= 0 : *order >= 0)) return;
    bytes_ = bytes_of(value);
    if (bytes_ > kRecordBytesMax) throw record_too_long();
    best_ = std::move(value);
    return;
  }
  if (!number)
    throw SelectError(
        "InvalidDataType",
        base::cat("The SQL expression contains a data type that is not valid: ", call_->name, " takes numbers."));
  sum_ += number->real;
  is_integer_ = is_integer_ && number->is_integer;
  if (is_integer_ && __builtin_add_overflow(integer_, number->integer, &integer_)) throw overflow();
}

Value Aggregate::result() const {
  if (call_->name == "COUNT") return count_;
  if (count_ == 0) return Null{};
  if (call_->name == "MAX" || call_->name == "MIN") return best_;
  if (call_->name == "SUM" && is_integer_) return integer_;
  const double result = call_->name == "SUM" ? sum_ : sum_ / static_cast<double>(count_);
  if (!std::isfinite(result)) throw overflow();
  return Real{result, {}};
}

}  // namespace tidemill::lang::select
