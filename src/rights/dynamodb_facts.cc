#include "rights/dynamodb_facts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/base64.h"
#include "lang/dynamodb/key_condition.h"
#include "wire/arn.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::rights {

namespace {

using lang::dynamodb::Item;
using lang::dynamodb::Type;
using lang::dynamodb::ValueView;
using lang::policies::Facts;
using lang::policies::Values;
namespace shapes = wire::dynamodb;

// What no key is: where nobody can say which keys a request touches, no condition on them holds.
constexpr std::string_view kUnknownKey = "";

// What is gathered of a request.
struct Gathered {
  std::string partition;  // the name of the key's attribute
  Values leading;
  Values attributes;
  bool tells_leading = false;
  std::string select;  // the most that the request reads of an item; empty: it does not read

  void add_key(const Item& item) {
    tells_leading = true;
    if (const auto value = item.find(partition)) leading.push_back(text_of(*value));
    for (const auto& member : item.members()) attributes.emplace_back(member.name);
  }
  static std::string text_of(ValueView value) {
    if (value.type() == Type::S) return std::string(value.string());
    if (value.type() == Type::B) return base::base64_encode(value.string());
    if (value.type() == Type::N) return value.number().to_string();
    return std::string(kUnknownKey);
  }
  void add_select(std::string_view asked) {
    constexpr std::array<std::string_view, 4> kFromLeast{"COUNT", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES",
                                                         "ALL_ATTRIBUTES"};
    if (select.empty() || std::ranges::find(kFromLeast, asked) > std::ranges::find(kFromLeast, select)) select = asked;
  }
  template <class Names>
  void add_expression(const std::optional<std::string>& expression, const Names& names) {
    if (expression) add_names(*expression, names ? &*names : nullptr, attributes);
  }
  template <class Map>
  void add_legacy(const std::optional<Map>& map) {
    if (!map) return;
    for (const auto& [name, value] : *map) attributes.push_back(name);
  }
  void add_list(const std::optional<std::vector<std::string>>& names) {
    if (names) attributes.insert(attributes.end(), names->begin(), names->end());
  }
};

template <class Request>
void add_named(Facts& facts, const Request& request) {
  if constexpr (requires { request.return_values; }) {
    if (request.return_values) facts.set("dynamodb:ReturnValues", *request.return_values);
  }
  if constexpr (requires { request.return_consumed_capacity; }) {
    if (request.return_consumed_capacity)
      facts.set("dynamodb:ReturnConsumedCapacity", *request.return_consumed_capacity);
  }
}

// What is read of each item, said or not.
template <class Part>
std::string_view select_of(const Part& part) {
  if constexpr (requires { part.select; }) {
    if (part.select) return *part.select;
  }
  if (part.projection_expression) return "SPECIFIC_ATTRIBUTES";
  if constexpr (requires { part.attributes_to_get; }) {
    if (part.attributes_to_get) return "SPECIFIC_ATTRIBUTES";
  }
  if constexpr (requires { part.index_name; }) {
    if (part.index_name) return "ALL_PROJECTED_ATTRIBUTES";
  }
  return "ALL_ATTRIBUTES";
}

// Everything of a structure that may name attributes: each has some of these members.
template <class Part>
void gather(const Part& part, Gathered& out) {
  const auto* names = [&]() -> const std::optional<std::map<std::string, std::string>>* {
    if constexpr (requires { part.expression_attribute_names; }) return &part.expression_attribute_names;
    return nullptr;
  }();
  static const std::optional<std::map<std::string, std::string>> kNone;
  const auto& known = names ? *names : kNone;
  if constexpr (requires { part.condition_expression; }) {
    out.add_expression(std::optional<std::string>(part.condition_expression), known);
  }
  if constexpr (requires { part.update_expression; }) {
    out.add_expression(std::optional<std::string>(part.update_expression), known);
  }
  if constexpr (requires { part.filter_expression; }) out.add_expression(part.filter_expression, known);
  if constexpr (requires { part.projection_expression; }) {
    out.add_expression(part.projection_expression, known);
    out.add_select(select_of(part));
  }
  if constexpr (requires { part.key_condition_expression; }) out.add_expression(part.key_condition_expression, known);
  if constexpr (requires { part.expected; }) out.add_legacy(part.expected);
  if constexpr (requires { part.attribute_updates; }) out.add_legacy(part.attribute_updates);
  if constexpr (requires { part.key_conditions; }) out.add_legacy(part.key_conditions);
  if constexpr (requires { part.query_filter; }) out.add_legacy(part.query_filter);
  if constexpr (requires { part.scan_filter; }) out.add_legacy(part.scan_filter);
  if constexpr (requires { part.attributes_to_get; }) out.add_list(part.attributes_to_get);
  if constexpr (requires { part.item; }) out.add_key(part.item);
  if constexpr (requires { part.key; }) out.add_key(part.key);
}

void gather_partition(const shapes::QueryInput& query, Gathered& out) {
  out.tells_leading = true;
  if (query.key_conditions) {
    const auto found = query.key_conditions->find(out.partition);
    const bool is_equal = found != query.key_conditions->end() && found->second.comparison_operator == "EQ" &&
                          found->second.attribute_value_list && found->second.attribute_value_list->size() == 1;
    out.leading.push_back(is_equal ? Gathered::text_of(found->second.attribute_value_list->front())
                                   : std::string(kUnknownKey));
  }
  if (!query.key_condition_expression) return;
  try {
    lang::dynamodb::Substitutions substitutions;
    if (query.expression_attribute_names) substitutions.set_names(*query.expression_attribute_names);
    if (query.expression_attribute_values) substitutions.set_values(*query.expression_attribute_values);
    const auto parsed = lang::dynamodb::parse_key_condition(*query.key_condition_expression, substitutions);
    for (const auto& term : parsed.terms) {
      const bool is_partition =
          term.attribute == out.partition && term.op == lang::dynamodb::KeyConditionExpression::Op::equal;
      if (is_partition) out.leading.push_back(Gathered::text_of(term.low));
    }
  } catch (const lang::dynamodb::ExpressionError&) {  // the operation refuses it
  }
  if (out.leading.empty()) out.leading.emplace_back(kUnknownKey);
}

// The name of a table, as requests have it: also its ARN.
bool is_of(const std::string& table, const Ask& ask) {
  const auto arn = wire::parse_arn(ask.resource);
  if (!arn) return false;
  constexpr std::string_view kTable = "table/";
  if (table.starts_with("arn:")) return ask.resource == table;
  return arn->resource.starts_with(kTable) && arn->resource.substr(kTable.size()) == table;
}

template <class Request>
const Request& as(const void* request) {
  return *static_cast<const Request*>(request);
}

template <class Request>
void gather_whole(const void* request, Facts& facts, Gathered& out) {
  add_named(facts, as<Request>(request));
  gather(as<Request>(request), out);
}

void gather_batches(std::string_view operation, const void* request, const Ask& ask, Gathered& out) {
  if (operation == "BatchGetItem") {
    for (const auto& [table, part] : as<shapes::BatchGetItemInput>(request).request_items) {
      if (!is_of(table, ask)) continue;
      for (const auto& key : part.keys) out.add_key(key.item);
      out.add_expression(part.projection_expression, part.expression_attribute_names);
      out.add_list(part.attributes_to_get);
      out.add_select(select_of(part));
    }
  } else if (operation == "BatchWriteItem") {
    for (const auto& [table, writes] : as<shapes::BatchWriteItemInput>(request).request_items) {
      if (!is_of(table, ask)) continue;
      for (const auto& write : writes) {
        if (write.put_request) out.add_key(write.put_request->item);
        if (write.delete_request) out.add_key(write.delete_request->key);
      }
    }
  } else if (operation == "TransactGetItems") {
    for (const auto& part : as<shapes::TransactGetItemsInput>(request).transact_items) {
      if (is_of(part.get.table_name, ask)) gather(part.get, out);
    }
  } else if (operation == "TransactWriteItems") {
    const auto take = [&](const auto& part) {
      if (part && is_of(part->table_name, ask)) gather(*part, out);
    };
    for (const auto& part : as<shapes::TransactWriteItemsInput>(request).transact_items) {
      if (ask.action.ends_with(":PutItem")) take(part.put);
      if (ask.action.ends_with(":UpdateItem")) take(part.update);
      if (ask.action.ends_with(":DeleteItem")) take(part.delete_);
      if (ask.action.ends_with(":ConditionCheckItem")) take(part.condition_check);
    }
  }
}

void gather_request(std::string_view operation, const void* request, const Ask& ask, Facts& facts, Gathered& out) {
  using Gather = void (*)(const void*, Facts&, Gathered&);
  static const std::map<std::string_view, Gather> kWhole{
      {"GetItem", &gather_whole<shapes::GetItemInput>},       {"PutItem", &gather_whole<shapes::PutItemInput>},
      {"UpdateItem", &gather_whole<shapes::UpdateItemInput>}, {"DeleteItem", &gather_whole<shapes::DeleteItemInput>},
      {"Query", &gather_whole<shapes::QueryInput>},           {"Scan", &gather_whole<shapes::ScanInput>},
  };
  if (const auto found = kWhole.find(operation); found != kWhole.end())
    found->second(request, facts, out);
  else
    gather_batches(operation, request, ask, out);
  if (operation == "Query") gather_partition(as<shapes::QueryInput>(request), out);
}

// Of a table or one of its indexes; empty: there is none.
Task<std::string> partition_of(const wire::Context& context, const Ask& ask) {
  const auto arn = wire::parse_arn_of("dynamodb", ask.resource);
  if (!arn) co_return "";
  const std::string_view index_start = "/index/";
  const size_t index = arn->resource.find(index_start);
  wire::Context asking(context.platform(), std::string(arn->account), std::string(arn->region), context.request_id,
                       wire::Principal::platform());
  shapes::DescribeTableInput request;
  request.table_name = std::string(arn->resource.substr(0, index).substr(arn->resource.find('/') + 1));
  try {
    const auto found = co_await context.registry().call<shapes::ops::DescribeTable>(asking, request);
    std::optional<std::vector<shapes::KeySchemaElement>> schema = found.table->key_schema;
    if (index != std::string_view::npos) {
      const std::string_view name = arn->resource.substr(index + index_start.size());
      const auto look = [&](const auto& indexes) {
        if (!indexes) return;
        for (const auto& each : *indexes) {
          if (each.index_name == name) schema = each.key_schema;
        }
      };
      look(found.table->global_secondary_indexes);
      look(found.table->local_secondary_indexes);
    }
    for (const auto& element : schema.value_or(std::vector<shapes::KeySchemaElement>())) {
      if (element.key_type == "HASH") co_return element.attribute_name;
    }
  } catch (const wire::Error&) {
  }
  co_return "";
}

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_keyword(std::string_view word) {
  static const std::set<std::string> kWords{"and", "or", "not", "between", "in", "set", "remove", "add", "delete"};
  return kWords.contains(lang::policies::lower_case(word));
}

}  // namespace

void add_names(std::string_view expression, const std::map<std::string, std::string>* names, Values& out) {
  for (size_t at = 0; at < expression.size();) {
    const char first = expression[at];
    if (!is_identifier(first) && first != '#' && first != ':') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    while (end < expression.size() && is_identifier(expression[end])) ++end;
    const std::string_view word = expression.substr(at, end - at);
    size_t before = at;
    while (before > 0 && expression[before - 1] == ' ') --before;
    size_t after = end;
    while (after < expression.size() && expression[after] == ' ') ++after;
    const char previous = before > 0 ? expression[before - 1] : ' ';
    const bool is_call = first != '#' && after < expression.size() && expression[after] == '(';
    const bool is_index = first >= '0' && first <= '9';
    at = end;
    if (first == ':' || previous == '.' || is_index || (first != '#' && (is_keyword(word) || is_call))) continue;
    if (first != '#') {
      out.emplace_back(word);
    } else if (names) {
      if (const auto found = names->find(std::string(word)); found != names->end()) out.push_back(found->second);
    }
  }
}

Task<void> add_facts(const wire::Context& context, const wire::OperationInfo& operation, const void* request,
                     const Ask& ask, Facts& facts) {
  if (operation.service != "dynamodb" || !request || !ask.action.starts_with("dynamodb:")) co_return;
  if (operation.name.starts_with("Transact") || operation.name == "ExecuteTransaction") {
    facts.set("dynamodb:EnclosingOperation", operation.name);
  }
  if (ask.action.starts_with("dynamodb:PartiQL")) {
    for (const char* key : {"dynamodb:LeadingKeys", "dynamodb:Attributes", "dynamodb:Select", "dynamodb:FullTableScan"}) {
      facts.set_unknown(key);
    }
    co_return;
  }
  Gathered gathered{.partition = co_await partition_of(context, ask)};
  gather_request(operation.name, request, ask, facts, gathered);
  std::ranges::sort(gathered.attributes);
  const auto repeats = std::ranges::unique(gathered.attributes);
  gathered.attributes.erase(repeats.begin(), repeats.end());
  if (gathered.tells_leading) {
    if (gathered.leading.empty()) gathered.leading.emplace_back(kUnknownKey);
    facts.set("dynamodb:LeadingKeys", std::move(gathered.leading));
  }
  if (!gathered.select.empty()) facts.set("dynamodb:Select", std::move(gathered.select));
  if (!gathered.attributes.empty()) facts.set("dynamodb:Attributes", std::move(gathered.attributes));
}

}  // namespace tidemill::rights
