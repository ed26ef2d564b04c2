#include "lang/jsonata/error.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tidemill::lang::jsonata {

namespace {

struct Message {
  std::string_view code;
  std::string_view text;  // {t}: the token; {v}: the value; {s}: the second value
};

// By code, for binary search.
constexpr std::array kMessages = {
    Message{"D1001", "Number out of range: {v}"},
    Message{"D1002", "Cannot negate a non-numeric value: {v}"},
    Message{"D1004", "Regular expression matches zero length string"},
    Message{"D1009", "Multiple key definitions evaluate to same key: {v}"},
    Message{"D2014",
            "The size of the sequence allocated by the range operator (..) must not exceed 1e7.  Attempted to allocate "
            "{v}"},
    Message{"D3001", "Attempting to invoke string function on Infinity or NaN"},
    Message{"D3010", "Second argument of replace function cannot be an empty string"},
    Message{"D3011", "Fourth argument of replace function must evaluate to a positive number"},
    Message{"D3012", "Attempted to replace a matched string with a non-string value"},
    Message{"D3020", "Third argument of split function must evaluate to a positive number"},
    Message{"D3030", "Unable to cast value to a number: {v}"},
    Message{"D3040", "Third argument of match function must evaluate to a positive number"},
    Message{"D3050", "The second argument of reduce function must be a function with at least two arguments"},
    Message{"D3060", "The sqrt function cannot be applied to a negative number: {v}"},
    Message{"D3061",
            "The power function has resulted in a value that cannot be represented as a JSON number: base={v}, "
            "exponent={s}"},
    Message{"D3070",
            "The single argument form of the sort function can only be applied to an array of strings or an array of "
            "numbers.  Use the second argument to specify a comparison function"},
    Message{"D3080", "The picture string must only contain a maximum of two sub-pictures"},
    Message{"D3081", "The sub-picture must not contain more than one instance of the 'decimal-separator' character"},
    Message{"D3082", "The sub-picture must not contain more than one instance of the 'percent' character"},
    Message{"D3083", "The sub-picture must not contain more than one instance of the 'per-mille' character"},
    Message{"D3084", "The sub-picture must not contain both a 'percent' and a 'per-mille' character"},
    Message{"D3085",
            "The mantissa part of a sub-picture must contain at least one character that is either an 'optional digit "
            "character' or a member of the 'decimal digit family'"},
    Message{"D3086",
            "The sub-picture must not contain a passive character that is preceded by an active character and that is "
            "followed by another active character"},
    Message{"D3087",
            "The sub-picture must not contain a 'grouping-separator' character that appears adjacent to a "
            "'decimal-separator' character"},
    Message{"D3088", "The sub-picture must not contain a 'grouping-separator' at the end of the integer part"},
    Message{"D3089", "The sub-picture must not contain two adjacent instances of the 'grouping-separator' character"},
    Message{"D3090",
            "The integer part of the sub-picture must not contain a member of the 'decimal digit family' that is "
            "followed by an instance of the 'optional digit character'"},
    Message{"D3091",
            "The fractional part of the sub-picture must not contain an instance of the 'optional digit character' "
            "that is followed by a member of the 'decimal digit family'"},
    Message{"D3092",
            "A sub-picture that contains a 'percent' or 'per-mille' character must not contain a character treated as "
            "an 'exponent-separator'"},
    Message{"D3093",
            "The exponent part of the sub-picture must comprise only of one or more characters that are members of the "
            "'decimal digit family'"},
    Message{"D3100", "The radix of the formatBase function must be between 2 and 36.  It was given {v}"},
    Message{"D3110", "The argument of the toMillis function must be an ISO 8601 formatted timestamp. Given {v}"},
    Message{"D3120", "Syntax error in expression passed to function eval: {v}"},
    Message{"D3121", "Dynamic error evaluating the expression passed to function eval: {v}"},
    Message{"D3130",
            "Formatting or parsing an integer as a sequence starting with {v} is not supported by this implementation"},
    Message{"D3131", "In a decimal digit pattern, all digits must be from the same decimal group"},
    Message{"D3132", "Unknown component specifier {v} in date/time picture string"},
    Message{"D3133",
            "The 'name' modifier can only be applied to months and days in the date/time picture string, not {v}"},
    Message{"D3134", "The timezone integer format specifier cannot have more than four digits"},
    Message{"D3135", "No matching closing bracket ']' in date/time picture string"},
    Message{"D3136", "The date/time picture string is missing specifiers required to parse the timestamp"},
    Message{"D3138", "The $single() function expected exactly 1 matching result.  Instead it matched more."},
    Message{"D3139", "The $single() function expected exactly 1 matching result.  Instead it matched 0."},
    Message{"D3140", "Malformed URL passed to ${t}(): {v}"},
    Message{"S0101", "String literal must be terminated by a matching quote"},
    Message{"S0102", "Number out of range: {t}"},
    Message{"S0103", "Unsupported escape sequence: \\{t}"},
    Message{"S0104", "The escape sequence \\u must be followed by 4 hex digits"},
    Message{"S0105", "Quoted property name must be terminated with a backquote (`)"},
    Message{"S0106", "Comment has no closing tag"},
    Message{"S0201", "Syntax error: \"{t}\""},
    Message{"S0202", "Expected \"{s}\", got \"{t}\""},
    Message{"S0203", "Expected \"{s}\" before end of expression"},
    Message{"S0204", "Unknown operator: \"{t}\""},
    Message{"S0206", "Unknown expression type: \"{t}\""},
    Message{"S0207", "Unexpected end of expression"},
    Message{"S0208", "Parameter {s} of function definition must be a variable name (start with $)"},
    Message{"S0209", "A predicate cannot follow a grouping expression in a step"},
    Message{"S0210", "Each step can only have one grouping expression"},
    Message{"S0211", "The symbol \"{t}\" cannot be used as a unary operator"},
    Message{"S0212", "The left side of := must be a variable name (start with $)"},
    Message{"S0213", "The literal value {v} cannot be used as a step within a path expression"},
    Message{"S0214", "The right side of {t} must be a variable name (start with $)"},
    Message{"S0215", "A context variable binding must precede any predicates on a step"},
    Message{"S0216", "A context variable binding must precede the 'order-by' clause on a step"},
    Message{"S0217", "The object representing the 'parent' cannot be derived from this expression"},
    Message{"S0301", "Empty regular expressions are not allowed"},
    Message{"S0302", "No terminating / in regular expression"},
    Message{"S0303", "The regular expression /{t}/ is not supported: {v}"},
    Message{"S0401", "Type parameters can only be applied to functions and arrays"},
    Message{"S0402", "Choice groups containing parameterized types are not supported"},
    Message{"T0410", "Argument {s} of function \"{t}\" does not match function signature"},
    Message{"T0411", "Context value is not a compatible type with argument {s} of function \"{t}\""},
    Message{"T0412", "Argument {s} of function \"{t}\" must be an array of {v}"},
    Message{"T1003", "Key in object structure must evaluate to a string; got: {v}"},
    Message{"T1005", "Attempted to invoke a non-function. Did you mean ${t}?"},
    Message{"T1006", "Attempted to invoke a non-function"},
    Message{"T1007", "Attempted to partially apply a non-function. Did you mean ${t}?"},
    Message{"T1008", "Attempted to partially apply a non-function"},
    Message{"T1010",
            "The matcher function argument passed to function \"{t}\" does not return the correct object structure"},
    Message{"T2001", "The left side of the \"{t}\" operator must evaluate to a number"},
    Message{"T2002", "The right side of the \"{t}\" operator must evaluate to a number"},
    Message{"T2003", "The left side of the range operator (..) must evaluate to an integer"},
    Message{"T2004", "The right side of the range operator (..) must evaluate to an integer"},
    Message{"T2006", "The right side of the function application operator ~> must be a function"},
    Message{"T2007", "Type mismatch when comparing values {v} and {s} in order-by clause"},
    Message{"T2008", "The expressions within an order-by clause must evaluate to numeric or string values"},
    Message{"T2009", "The values {v} and {s} either side of operator \"{t}\" must be of the same data type"},
    Message{"T2010", "The expressions either side of operator \"{t}\" must evaluate to numeric or string values"},
    Message{"T2011", "The insert/update clause of the transform expression must evaluate to an object: {v}"},
    Message{"T2012",
            "The delete clause of the transform expression must evaluate to a string or array of strings: {v}"},
    Message{"U1001",
            "Stack overflow, or an infinite loop: the expression takes too many steps, nests too deep or needs too "
            "much memory"},
};
static_assert(std::ranges::is_sorted(kMessages, {}, &Message::code));

std::string_view text_of(std::string_view code) {
  const auto found = std::ranges::lower_bound(kMessages, code, {}, &Message::code);
  return found != kMessages.end() && found->code == code ? found->text : std::string_view("Unknown error");
}

std::string fill(std::string_view text, const ErrorDetails& details) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || i + 2 >= text.size() || text[i + 2] != '}') {
      out.push_back(text[i]);
      continue;
    }
    out += text[i + 1] == 't' ? details.token : text[i + 1] == 'v' ? details.value : details.second;
    i += 2;
  }
  return out;
}

}  // namespace

JsonataError::JsonataError(std::string_view code, ErrorDetails details)
    : std::runtime_error(std::string(code)), code_(code), details_(std::move(details)) {
  compose();
}

JsonataError::JsonataError(std::string_view code, std::string message, ErrorDetails details)
    : std::runtime_error(std::string(code)),
      code_(code),
      details_(std::move(details)),
      own_message_(true),
      message_(std::move(message)) {
  compose();
}

void JsonataError::compose() {
  if (!own_message_) message_ = fill(text_of(code_), details_);
  what_ = base::cat(code_, ": ", message_);
}

void JsonataError::locate(std::string_view token, int64_t position) {
  if (details_.token.empty()) details_.token = token;
  if (details_.position < 0) details_.position = position;
  compose();
}

}  // namespace tidemill::lang::jsonata
