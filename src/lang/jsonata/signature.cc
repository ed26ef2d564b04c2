#include "lang/jsonata/signature.h"

#include <algorithm>
#include <map>

#include "lang/jsonata/error.h"

namespace tidemill::lang::jsonata {

namespace {

char symbol_of(Value value) {
  switch (value.kind) {
    case Kind::null:
      return 'l';
    case Kind::boolean:
      return 'b';
    case Kind::number:
      return 'n';
    case Kind::string:
      return 's';
    case Kind::array:
      return 'a';
    case Kind::object:
      return 'o';
    case Kind::function:
      return 'f';
    default:
      return 'm';
  }
}

constexpr std::string_view kJson = "asnblom";
constexpr std::string_view kAnything = "asnblfom";

std::string_view name_of(char symbol) {
  static const std::map<char, std::string_view> kNames = {{'a', "arrays"},  {'b', "booleans"}, {'f', "functions"},
                                                          {'n', "numbers"}, {'o', "objects"},  {'s', "strings"}};
  const auto found = kNames.find(symbol);
  return found == kNames.end() ? "values" : found->second;
}

[[noreturn]] void fail(std::string_view code, size_t number, std::string value = {}) {
  throw JsonataError(code, {.value = std::move(value), .second = std::to_string(number)});
}

// Where the bracket at `open` closes.
size_t closing(std::string_view text, size_t open) {
  const char opening = text[open];
  const char end = opening == '(' ? ')' : '>';
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == end && --depth == 0) return i;
  }
  return text.size();
}

}  // namespace

Signature::Signature(std::string_view text) {
  for (size_t i = 1; i < text.size() && text[i] != ':'; ++i) {
    const char c = text[i];
    if (std::string_view("snblo").contains(c)) {
      parameters_.push_back({.types = {c, 'm'}});
    } else if (c == 'a') {
      parameters_.push_back({.types = std::string(kAnything), .is_array = true});
    } else if (c == 'f') {
      parameters_.push_back({.types = "f"});
    } else if (c == 'j' || c == 'x') {
      parameters_.push_back({.types = std::string(c == 'j' ? kJson : kAnything)});
    } else if (c == '(') {
      const size_t end = closing(text, i);
      const std::string choice(text.substr(i + 1, end - i - 1));
      if (choice.contains('<')) throw JsonataError("S0402", {.value = choice});
      parameters_.push_back({.types = choice + "m"});
      i = end;
    } else if (c == '<') {
      const size_t end = closing(text, i);
      if (parameters_.empty() || !(parameters_.back().is_array || parameters_.back().types == "f")) {
        throw JsonataError("S0401", {.value = std::string(text.substr(i, end - i + 1))});
      }
      if (i + 1 < end) parameters_.back().element = text[i + 1];
      i = end;
    } else if (!parameters_.empty()) {
      Parameter& last = parameters_.back();
      if (c == '-') last.takes_context = last.may_miss = true;
      if (c == '?') last.may_miss = true;
      if (c == '+') last.repeats = true;
    }
  }
}

// As a regular expression would: each parameter takes as many symbols as it may, and gives back if the rest fails.
bool Signature::match(std::string_view symbols, size_t parameter, std::vector<size_t>& counts) const {
  if (parameter == parameters_.size()) return symbols.empty();
  const Parameter& expected = parameters_[parameter];
  const size_t fitting = std::min(symbols.find_first_not_of(expected.types), symbols.size());
  const size_t least = expected.may_miss ? 0 : 1;
  size_t count = expected.repeats ? fitting : std::min<size_t>(fitting, 1);
  for (;; --count) {
    if (count < least) return false;
    counts[parameter] = count;
    if (match(symbols.substr(count), parameter + 1, counts)) return true;
    if (count == 0) return false;
  }
}

// How many arguments fit one by one, for the message.
size_t Signature::good_until(std::string_view symbols) const {
  size_t good = 0;
  for (const Parameter& expected : parameters_) {
    const size_t fitting = std::min(symbols.find_first_not_of(expected.types, good), symbols.size()) - good;
    if (fitting == 0 && !expected.may_miss) return good;
    good += expected.repeats ? fitting : std::min<size_t>(fitting, 1);
  }
  return good;
}

Value Signature::checked_array(Arena& arena, const Parameter& parameter, Value argument, size_t number) const {
  if (!argument.defined()) return argument;
  const auto fits = [&](Value item) { return symbol_of(item) == parameter.element; };
  if (parameter.element != '\0') {
    const bool is_fitting =
        argument.is(Kind::array) ? std::ranges::all_of(argument.array->items(), fits) : fits(argument);
    if (!is_fitting) fail("T0412", number, std::string(name_of(parameter.element)));
  }
  if (argument.is(Kind::array)) return argument;
  Array* const array = arena.make<Array>(arena);
  array->push(argument);
  return array;
}

std::vector<Value> Signature::check(Arena& arena, std::span<const Value> arguments, Value context) const {
  std::string symbols;
  for (const Value argument : arguments) symbols.push_back(symbol_of(argument));
  std::vector<size_t> counts(parameters_.size());
  if (!match(symbols, 0, counts)) fail("T0410", good_until(symbols) + 1);

  std::vector<Value> checked;
  size_t next = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (counts[i] == 0) {
      if (parameter.takes_context && !parameter.types.contains(symbol_of(context))) fail("T0411", next + 1);
      if (parameter.takes_context) {
        checked.push_back(context);
      } else {  // as in the reference: an argument is used up even though it is the next parameter's
        checked.push_back(next < arguments.size() ? arguments[next] : Value());
        ++next;
      }
    }
    for (size_t taken = 0; taken < counts[i]; ++taken, ++next) {
      const Value argument = next < arguments.size() ? arguments[next] : Value();
      checked.push_back(parameter.is_array ? checked_array(arena, parameter, argument, next + 1) : argument);
    }
  }
  return checked;
}

}  // namespace tidemill::lang::jsonata
