// Fn::Sub, Fn::Join, Fn::Split, Fn::Base64.
#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/find.h"
#include "lang/templates/arguments.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/sub_text.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {

json::Value Evaluation::sub(const json::Value& argument) {
  const SubArguments arguments = sub_arguments(argument);
  std::string out;
  for (const SubPart& part : parse_sub(arguments.text)) {
    const size_t before = out.size();
    out.append(part.is_variable ? sub_variable(part.text, arguments.own) : part.text);
    charge(out.size() - before);
  }
  return out;
}

std::string Evaluation::sub_variable(std::string_view name, const json::Object& own) {
  Result result;
  if (const json::Value* value = own.find(name)) {
    result = evaluate(*value);
  } else if (const size_t dot = name.find('.'); dot != std::string_view::npos) {
    result = attribute_of(name.substr(0, dot), name.substr(dot + 1));
  } else {
    result = ref_by_name(name);
  }
  auto text = result ? as_text(*result) : std::nullopt;
  if (!text) refuse("Fn::Sub expression does not resolve to a string");
  return std::move(*text);
}

json::Value Evaluation::join(const json::Value& argument) {
  const DelimitedArguments arguments = join_arguments(argument);
  const Result list = evaluate(arguments.value);
  if (list) {
    if (Result secret = not_to_be_told(*list)) return *std::move(secret);
  }
  if (!list || !list->is_array()) refuse_join();
  std::string out;
  bool first = true;
  for (const json::Value& element : list->array()) {
    const auto text = as_text(element);
    if (!text) refuse_join();
    if (!std::exchange(first, false)) out.append(arguments.delimiter);
    charge(arguments.delimiter.size() + text->size());
    out.append(*text);
  }
  return out;
}

json::Value Evaluation::split(const json::Value& argument) {
  const auto& [delimiter, value] = split_arguments(argument);
  const Result source = evaluate(value);
  if (source) {
    if (Result secret = not_to_be_told(*source)) return *std::move(secret);
  }
  const auto text = source ? as_text(*source) : std::nullopt;
  if (!text) refuse_split();
  std::string_view rest = *text;
  json::Array parts;
  while (true) {
    const size_t end = base::find(rest, delimiter);
    charge(std::min(end, rest.size()) + 1);
    parts.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + delimiter.size());
  }
  return parts;
}

json::Value Evaluation::base64(const json::Value& argument) {
  const Result source = evaluate(argument);
  if (source && is_unknown(*source)) return *source;
  const auto text = source ? as_text(*source) : std::nullopt;
  if (!text) refuse_base64();
  std::string encoded = base::base64_encode(*text);
  charge(encoded.size());
  return encoded;
}

}  // namespace tidemill::lang::templates
