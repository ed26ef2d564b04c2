#include "lang/patterns/operators.h"

#include <algorithm>

#include "base/text.h"
#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {
namespace {

using base::cat;
using Kind = Matcher::Kind;

constexpr std::array<std::string_view, 8> kOperators{"prefix",  "suffix", "equals-ignore-case", "wildcard",
                                                     "numeric", "cidr",   "exists",             "anything-but"};

Matcher text_matcher(Kind kind, std::string_view text, bool folded = false) {
  Matcher matcher;
  matcher.kind = kind;
  matcher.flag = folded;
  matcher.text = folded ? fold_case(text) : std::string(text);
  return matcher;
}

Matcher wildcard_matcher(std::string_view text, const Options& options) {
  Matcher matcher;
  matcher.kind = Kind::wildcard;
  matcher.pieces = parse_wildcard(text);
  if (options.stars_max > 0 && matcher.pieces.size() > options.stars_max + 1) {
    throw PatternError("Filter policy is too complex");
  }
  return matcher;
}

// The operators that take a string. `name` is one of them.
Matcher of_text(std::string_view name, std::string_view text, const Options& options) {
  if (name == "prefix") return text_matcher(Kind::prefix, text);
  if (name == "suffix") return text_matcher(Kind::suffix, text);
  if (name == "wildcard") return wildcard_matcher(text, options);
  return text_matcher(Kind::text, text, true);
}

bool takes_text(std::string_view name) {
  return name == "prefix" || name == "suffix" || name == "wildcard" || name == "equals-ignore-case";
}

// {"prefix": {"equals-ignore-case": "x"}}
Matcher ends_regardless_of_case(std::string_view name, const json::Object& object) {
  const json::Value* text = object.find("equals-ignore-case");
  if (object.size() != 1 || !text) throw PatternError("Unsupported match type inside prefix/suffix");
  if (!text->is_string()) throw PatternError("equals-ignore-case match pattern must be a string");
  return text_matcher(name == "prefix" ? Kind::prefix : Kind::suffix, text->string(), true);
}

Matcher parse_text_operator(std::string_view name, const json::Value& value, const Options& options) {
  if (value.is_object() && (name == "prefix" || name == "suffix")) {
    return ends_regardless_of_case(name, value.object());
  }
  if (!value.is_string()) throw PatternError(cat(name, " match pattern must be a string"));
  return of_text(name, value.string(), options);
}

Matcher number_matcher(double number) {
  Matcher matcher;
  matcher.kind = Kind::number;
  matcher.number = number;
  return matcher;
}

// {"anything-but": {"prefix": "x"}} or of several.
void add_text_exceptions(Matcher& matcher, const json::Object& object, const Options& options) {
  if (object.size() != 1) throw PatternError("Only one key allowed in match expression");
  const auto& [name, value] = *object.begin();
  const bool is_known = options.excludes_all_texts ? takes_text(name) : name == "prefix" || name == "wildcard";
  if (!is_known) throw PatternError(cat("Unsupported anything-but pattern: ", name));
  const auto add = [&](const json::Value& text) {
    if (!text.is_string()) {
      throw PatternError(value.is_array()
                             ? cat("Inside anything-but/", name, " list, number|start|null|boolean is not supported.")
                             : cat(name, " match pattern must be a string"));
    }
    if (text.string().empty() && (name == "prefix" || name == "suffix")) {
      throw PatternError("Null prefix/suffix not allowed");
    }
    matcher.exceptions.push_back(of_text(name, text.string(), options));
  };
  if (!value.is_array()) return add(value);
  if (value.array().empty()) throw PatternError("Empty arrays are not allowed");
  for (const json::Value& text : value.array()) add(text);
}

Matcher parse_anything_but(const json::Value& value, const Options& options) {
  Matcher matcher;
  matcher.kind = Kind::anything_but;
  if (value.is_object()) {
    add_text_exceptions(matcher, value.object(), options);
    return matcher;
  }
  const auto add = [&](const json::Value& one) {
    if (one.is_string()) matcher.exceptions.push_back(text_matcher(Kind::text, one.string()));
    else if (one.is_number()) matcher.exceptions.push_back(number_matcher(*one.to_double()));
    else if (value.is_array()) throw PatternError("Inside anything but list, start|null|boolean is not supported.");
    else throw PatternError("Value of anything-but must be an array or single string/number value.");
  };
  if (!value.is_array()) add(value);
  else if (value.array().empty()) throw PatternError("Empty arrays are not allowed");
  else std::ranges::for_each(value.array(), add);
  return matcher;
}

std::string text_of(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

double bound_of(const json::Array& terms, size_t index, std::string_view comparison) {
  if (index >= terms.size() || !terms[index].is_number()) {
    throw PatternError(cat("Value of ", comparison == "=" ? "equals" : comparison, " must be numeric"));
  }
  return *terms[index].to_double();
}

void add_top(NumberRange& range, const json::Array& terms) {
  constexpr size_t kTermsMax = 4;
  if (!terms[2].is_string()) throw PatternError(cat("Bad value in numeric range: ", text_of(terms[2])));
  const std::string& comparison = terms[2].string();
  if (comparison != "<" && comparison != "<=") throw PatternError(cat("Bad numeric range operator: ", comparison));
  range.top = bound_of(terms, 3, comparison);
  range.includes_top = comparison == "<=";
  if (*range.top <= *range.bottom) throw PatternError("Bottom must be less than top");
  if (terms.size() > kTermsMax) throw PatternError("Too many terms in numeric range expression");
}

Matcher parse_numeric(const json::Value& value) {
  if (!value.is_array()) throw PatternError("Value of numeric must be an array.");
  const json::Array& terms = value.array();
  if (terms.empty()) throw PatternError("Invalid member in numeric match: ]");
  if (!terms[0].is_string()) throw PatternError(cat("Invalid member in numeric match: ", text_of(terms[0])));
  const std::string& comparison = terms[0].string();
  const bool is_bottom = comparison == ">" || comparison == ">=";
  const bool is_top = comparison == "<" || comparison == "<=";
  if (!is_bottom && !is_top && comparison != "=") {
    throw PatternError(cat("Unrecognized numeric range operator: ", comparison));
  }
  const double bound = bound_of(terms, 1, comparison);
  Matcher matcher;
  matcher.kind = Kind::numeric;
  NumberRange& range = matcher.range;
  if (!is_top) range.bottom = bound;
  if (!is_bottom) range.top = bound;
  range.includes_bottom = range.includes_top = comparison.ends_with('=');
  if (terms.size() == 2) return matcher;
  if (!is_bottom) throw PatternError("Too many elements in numeric expression");
  add_top(range, terms);
  return matcher;
}

Matcher parse_operator(const json::Object& object, const Options& options) {
  if (object.size() != 1) throw PatternError("Only one key allowed in match expression");
  const auto& [name, value] = *object.begin();
  if (takes_text(name)) return parse_text_operator(name, value, options);
  if (name == "anything-but") return parse_anything_but(value, options);
  if (name == "numeric") return parse_numeric(value);
  Matcher matcher;
  if (name == "exists") {
    if (!value.is_boolean()) throw PatternError("exists match pattern must be either true or false.");
    matcher.kind = value.boolean() ? Kind::exists : Kind::absent;
    return matcher;
  }
  if (name == "cidr") {
    if (!value.is_string()) throw PatternError("prefix match pattern must be a string");  // AWS's words
    matcher.kind = Kind::cidr;
    matcher.addresses = AddressRange::parse(value.string());
    return matcher;
  }
  throw PatternError(cat("Unrecognized match type ", name));
}

}  // namespace

bool is_operator(std::string_view name) { return std::ranges::find(kOperators, name) != kOperators.end(); }

Matcher parse_matcher(const json::Value& element, const Options& options) {
  switch (element.kind()) {
    case json::Kind::null: return Matcher();
    case json::Kind::boolean: {
      Matcher matcher;
      matcher.kind = Kind::boolean;
      matcher.flag = element.boolean();
      return matcher;
    }
    case json::Kind::number: return number_matcher(*element.to_double());
    case json::Kind::string: return text_matcher(Kind::text, element.string());
    case json::Kind::object: return parse_operator(element.object(), options);
    case json::Kind::array: break;
  }
  throw PatternError("Match value must be String, number, true, false, or null");
}

}  // namespace tidemill::lang::patterns
