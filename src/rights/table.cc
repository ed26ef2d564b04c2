#include "rights/table.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "rights/tables.h"
#include "wire/arn.h"

namespace tidemill::rights {

namespace {

using base::cat;

constexpr std::string_view kCaller = "@caller";

// What stands before `separator`, which is taken away with it.
std::string_view take(std::string_view& text, std::string_view separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + separator.size(), text.size()));
  return part;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    if (const std::string_view word = take(text, " "); !word.empty()) words.push_back(word);
  }
  return words;
}

std::string action_of(const wire::OperationInfo& operation, std::string_view word) {
  if (word.find(':') != std::string_view::npos) return std::string(word);
  return cat(vendor_of(operation.service), ":", word == "=" ? operation.name : word);
}

// There is one partition: what is named in another is denied as its namesake here is, should an operation find it.
std::string in_own_partition(std::string text) {
  auto arn = wire::parse_arn(text);
  if (!arn || arn->partition == wire::kPartition) return text;
  arn->partition = wire::kPartition;
  return arn->text();
}

// A resource of the caller's account and region, where it is no ARN yet.
std::string whole(const wire::OperationInfo& operation, const wire::Context& context, std::string text) {
  if (text == "*") return text;
  if (text.starts_with("arn:")) return in_own_partition(std::move(text));
  const std::string_view vendor = vendor_of(operation.service);
  const bool is_bucket = vendor == "s3";
  const std::string_view region = is_bucket || vendor == "iam" ? "" : std::string_view(context.region);
  const std::string_view account = is_bucket ? "" : std::string_view(context.account);
  return wire::Arn{.service = vendor, .region = region, .account = account, .resource = text}.text();
}

}  // namespace

std::string_view vendor_of(std::string_view service) {
  if (service == "dynamodbstreams") return "dynamodb";
  if (service == "healthlakefhir") return "healthlake";
  if (service == "cloudcontrol") return "cloudformation";
  return service;
}

// ---- Template ----

Template::Template(const wire::OperationInfo& operation, std::string_view text)
    : may_be_whole_(operation.service != "s3") {
  int group = 0;
  int groups = 0;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '{') {
      text.remove_prefix(1);
      read_member(operation, take(text, "}"), group);
      continue;
    }
    text.remove_prefix(1);
    if (c == '[') {
      group = ++groups;
    } else if (c == ']') {
      group = 0;
    } else {
      if (pieces_.empty() || pieces_.back().path || pieces_.back().group != group) pieces_.push_back({.group = group});
      pieces_.back().text.push_back(c);
    }
  }
}

void Template::read_member(const wire::OperationInfo& operation, std::string_view text, int group) {
  Piece piece{.group = group};
  std::string_view rest = text;
  std::string_view name = take(rest, ":");
  if (const size_t equals = name.find('='); equals != std::string_view::npos) {
    piece.otherwise = std::string(name.substr(equals + 1));
    name = name.substr(0, equals);
  }
  if (name.ends_with('?')) {
    piece.is_asked_only_with = true;
    name.remove_suffix(1);
  }
  piece.path.emplace(*operation.input, name);
  if (!rest.empty()) {
    const auto naming = find_naming(take(rest, ":"));
    if (!naming) throw std::logic_error(cat("no way of naming: ", text));
    piece.naming = *naming;
    if (!rest.empty()) piece.second.emplace(*operation.input, rest);
  }
  pieces_.push_back(std::move(piece));
}

std::vector<Named> Template::values_of(const Piece& piece, const wire::Context& context, const void* request,
                                       bool& is_absent) {
  std::vector<std::string> values = piece.path->values(request);
  if (values.empty() && piece.otherwise) {
    if (*piece.otherwise == kCaller) return {{"", Lookup::caller}};
    if (*piece.otherwise == "*") return {{"*"}};
    values = {*piece.otherwise};
  }
  is_absent = values.empty();
  if (is_absent) return {{""}};
  std::string second;
  if (piece.second) {
    if (auto found = piece.second->values(request); !found.empty()) second = std::move(found.front());
  }
  std::vector<Named> named;
  for (std::string& value : values) {
    named.push_back(piece.naming ? piece.naming(context, value, second) : Named{std::move(value)});
  }
  is_absent = std::ranges::all_of(named, [](const Named& each) { return each.text.empty(); });
  return named;
}

std::vector<Named> Template::texts(const wire::Context& context, const void* request) const {
  std::vector<std::vector<Named>> values;
  std::vector<int> absent_groups;
  for (const Piece& piece : pieces_) {
    if (!piece.path) continue;
    bool is_absent = false;
    values.push_back(values_of(piece, context, request, is_absent));
    if (is_absent && piece.is_asked_only_with) return {};
    if (is_absent && piece.group != 0) absent_groups.push_back(piece.group);
  }
  std::vector<Named> texts{{""}};
  size_t next = 0;
  for (const Piece& piece : pieces_) {
    const bool is_first = next == 0;
    const std::vector<Named>* found = piece.path ? &values[next++] : nullptr;
    if (std::ranges::find(absent_groups, piece.group) != absent_groups.end()) continue;
    if (!found) {
      for (Named& text : texts) text.text += piece.text;
      continue;
    }
    std::vector<Named> longer;
    for (const Named& text : texts) {
      for (const Named& value : *found) {
        const bool is_whole =
            value.lookup != Lookup::none || (is_first && may_be_whole_ && value.text.starts_with("arn:"));
        longer.push_back({is_whole ? value.text : text.text + value.text, value.lookup});
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

bool Template::tells_empty(const void* request) const {
  const bool is_member = pieces_.size() == 1 && pieces_[0].path && !pieces_[0].naming;
  return is_member && pieces_[0].path->is_given(request);
}

// ---- Row ----

Row::Row(const wire::OperationInfo& operation, std::string_view asks) : operation_(operation) {
  while (!asks.empty()) read(operation, take(asks, " | "));
  if (action_.empty()) action_ = action_of(operation, "=");
}

void Row::read(const wire::OperationInfo& operation, std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() == 1 && words[0] == "-") {
    needs_nothing_ = true;
    return;
  }
  if (words.size() < 2) throw std::logic_error(cat("no ask: ", text));
  Pattern pattern;
  if (words[0] == "!") {
    const auto maker = find_maker(words[1]);
    if (!maker) throw std::logic_error(cat("nothing makes ", words[1]));
    pattern.maker = *maker;
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i].starts_with('{'))
        pattern.values.emplace(*operation.input, words[i].substr(1, words[i].size() - 2));
      else
        pattern.argument = action_of(operation, words[i]);
    }
    patterns_.push_back(std::move(pattern));
    return;
  }
  pattern.action = action_of(operation, words[0]);
  if (action_.empty()) action_ = pattern.action;
  pattern.resource.emplace(operation, words[1]);
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "when" || words[i] == "unless") {
      pattern.condition.emplace(Condition{ValuePath(*operation.input, words.at(i + 1)), words[i] == "when"});
      break;
    }
    std::string_view value = words[i];
    const std::string_view key = take(value, "=");
    pattern.facts.emplace_back(std::string(key), Template(operation, value));
  }
  patterns_.push_back(std::move(pattern));
}

void Row::add(const Pattern& pattern, const wire::Context& context, const void* request, std::vector<Ask>& asks) const {
  if (pattern.maker) {
    auto values = pattern.values ? pattern.values->values(request) : std::vector<std::string>();
    return pattern.maker({context, request, pattern.argument, std::move(values)}, asks);
  }
  if (pattern.condition && pattern.condition->member.is_given(request) != pattern.condition->is_given) return;
  decltype(Ask::facts) facts;
  for (const auto& [key, value] : pattern.facts) {
    std::vector<std::string> values;
    for (Named& named : value.texts(context, request)) {
      if (!named.text.empty() || value.tells_empty(request)) values.push_back(std::move(named.text));
    }
    if (!values.empty()) facts.emplace_back(key, std::move(values));
  }
  for (Named& resource : pattern.resource->texts(context, request)) {
    const bool is_settled = resource.lookup == Lookup::none;
    asks.push_back({pattern.action, is_settled ? whole(operation_, context, std::move(resource.text)) : resource.text,
                    facts, resource.lookup});
  }
}

std::vector<Ask> Row::asks(const wire::Context& context, const void* request) const {
  std::vector<Ask> asks;
  for (const Pattern& pattern : patterns_) add(pattern, context, request, asks);
  if (asks.empty() && !needs_nothing_) asks.push_back({action_, "*"});
  return asks;
}

// ---- Table ----

Table::Table(const wire::Registry& registry) {
  for (const auto& [service, text] : kTables) {
    std::string_view rest = text;
    while (!rest.empty()) {
      std::string_view line = take(rest, "\n");
      if (line.empty() || line.starts_with('#')) continue;
      for (const std::string_view name : words_of(take(line, " | "))) {
        const wire::Registry::Operation* operation = registry.find(service, name);
        if (!operation || !operation->info.unsupported_reason.empty()) {
          throw std::logic_error(cat("a row of no operation: ", service, ".", name));
        }
        if (!rows_.try_emplace(OperationKey(operation->info), operation->info, line).second) {
          throw std::logic_error(cat("two rows of one operation: ", service, ".", name));
        }
      }
    }
  }
}

const Row* Table::find(const wire::OperationInfo& operation) const {
  const auto found = rows_.find(OperationKey(operation));
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace tidemill::rights
