#include "lang/select/row.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace tidemill::lang::select {
namespace {

// "_12": the twelfth column.
std::optional<size_t> place_of_name(const Step& step) {
  if (!step.name.starts_with('_')) return std::nullopt;
  size_t number = 0;
  const char* end = step.name.data() + step.name.size();
  const auto [at, error] = std::from_chars(step.name.data() + 1, end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  if (number == 0) throw SelectError("InvalidColumnIndex", "The column index in the SQL expression is not valid.");
  return number - 1;
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Header::Header(std::vector<std::string> names) : names_(std::move(names)) {
  for (size_t place = 0; place < names_.size(); ++place) {
    exact_.emplace(names_[place], place);
    auto& found = any_case_.try_emplace(in_lower_case(names_[place]), place, 0).first->second;
    ++found.second;
  }
}

std::optional<size_t> Header::find(const Step& step) const {
  if (const auto found = exact_.find(step.name); found != exact_.end() && step.is_exact) return found->second;
  if (step.is_exact) return std::nullopt;
  const auto found = any_case_.find(in_lower_case(step.name));
  if (found == any_case_.end()) return std::nullopt;
  if (found->second.second > 1) {
    if (const auto exact = exact_.find(step.name); exact != exact_.end()) return exact->second;
    throw SelectError(
        "AmbiguousFieldName",
        "Field name matches to multiple fields in the file. Check the SQL expression and the file, and try again.");
  }
  return found->second.first;
}

std::string Header::name_of(size_t place) const {
  return place < names_.size() ? names_[place] : base::cat("_", place + 1);
}

Value CsvRow::get(const Path& path) const {
  if (path.size() != 1 || path[0].kind != Step::Kind::name) {
    throw SelectError("InvalidKeyPath",
                      "The key path in the SQL expression is not valid: the columns of CSV files have no parts.");
  }
  auto place = header_.find(path[0]);
  if (!place) place = place_of_name(path[0]);
  if (!place)
    throw SelectError("MissingHeaders",
                      "Some headers in the query are missing from the file. Check the file and try again.");
  if (*place >= fields_.size()) return Missing{};
  return Field{fields_[*place]};
}

std::vector<std::pair<std::string, Value>> CsvRow::all() const {
  std::vector<std::pair<std::string, Value>> columns;
  columns.reserve(fields_.size());
  for (size_t place = 0; place < fields_.size(); ++place) {
    columns.emplace_back(header_.name_of(place), Field{fields_[place]});
  }
  return columns;
}

const json::Value* find_step(const json::Value& document, const Step& step) {
  if (step.kind == Step::Kind::place) {
    return document.is_array() && step.place < document.array().size() ? &document.array()[step.place] : nullptr;
  }
  if (!document.is_object()) return nullptr;
  if (const json::Value* found = document.find(step.name)) return found;
  if (step.is_exact) return nullptr;
  const std::string name = in_lower_case(step.name);
  const auto found =
      std::ranges::find_if(document.object(), [&](const auto& member) { return in_lower_case(member.first) == name; });
  return found == document.object().end() ? nullptr : &found->second;
}

Value JsonRow::get(const Path& path) const {
  const json::Value* at = &document_;
  for (const Step& step : path) {
    // A row that is no object is called _1, as in results.
    if (at == &document_ && !document_.is_object() && step.kind == Step::Kind::name && step.name == "_1") continue;
    at = find_step(*at, step);
    if (!at) return Missing{};
  }
  return value_of(*at);
}

std::vector<std::pair<std::string, Value>> JsonRow::all() const {
  std::vector<std::pair<std::string, Value>> columns;
  if (!document_.is_object()) {
    columns.emplace_back("_1", value_of(document_));
    return columns;
  }
  for (const auto& [name, value] : document_.object()) columns.emplace_back(name, value_of(value));
  return columns;
}

}  // namespace tidemill::lang::select
