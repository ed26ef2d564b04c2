#include "wire/codecs/dynamodb.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "lang/dynamodb/json_codec_simdjson.h"
#include "wire/shape_codec.h"
#include "wire/shape_table.h"

namespace tidemill::wire::codecs {

namespace {

using lang::dynamodb::Item;
using lang::dynamodb::ItemPage;
using lang::dynamodb::SpelledItem;
using lang::dynamodb::Value;
using shapes::as;

// Which words an operation has for what is wrong with a value; AWS has changed them for some. The others (batches that
// write, transactions, Scan) have the older words.
constexpr std::array<std::string_view, 3> kDetected{"PutItem", "UpdateItem", "DeleteItem"};  // the newer, enveloped
constexpr std::array<std::string_view, 3> kNewer{"GetItem", "BatchGetItem", "Query"};
constexpr std::array<std::string_view, 3> kStatements{"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"};

// Its actions are checked one after the other, each with how deep its items nest: by its handler.
constexpr std::string_view kTransaction = "TransactWriteItems";

Error error_of(const lang::dynamodb::ValueError& error, const shapes::ReadContext& context) {
  const OperationInfo& operation = context.operation;
  const auto is_one_of = [&](const auto& names) { return std::ranges::find(names, operation.name) != names.end(); };
  std::string message = error.what();
  bool is_enveloped = error.prefixed() && operation.prefixed_value_errors;
  if (is_one_of(kDetected)) {
    message = error.newer();
    is_enveloped = error.is_of_value();
  } else if (is_one_of(kNewer)) {
    message = error.newer();
    is_enveloped = false;
  } else if (is_one_of(kStatements) && !error.of_statement().empty()) {
    message = error.of_statement();
  } else if (operation.name == kTransaction && context.shape == "ExpressionAttributeValueMap" && error.is_of_value()) {
    message = "ExpressionAttributeValues contains invalid value: " + message + " for key " + error.attribute();
  } else if (operation.name == "BatchWriteItem" && error.of_statement().starts_with("Number underflow")) {
    message = error.of_statement();  // it reads 1e2147483647 as statements do: the exponent turns around
  }
  return validation_error((is_enveloped ? "1 validation error detected: " : "") + message);
}

// Puts what `decode` makes of the JSON into its place; a wrong value is kept in the context.
template <class T, T (*decode)(shapes::Json)>
void parse(shapes::Json json, void* out, shapes::ReadContext& context) {
  try {
    as<T>(out) = decode(json);
  } catch (const lang::dynamodb::ValueError& error) {
    if (error.kind() == lang::dynamodb::ValueError::Kind::serialization) throw serialization_error(error.what());
    if (!context.deferred) context.deferred = error_of(error, context);
  }
}

void parse_item(shapes::Json json, void* out, shapes::ReadContext& context) {
  if (context.operation.name == kTransaction) return parse<Item, lang::dynamodb::decode_deep_item>(json, out, context);
  parse<Item, lang::dynamodb::decode_item>(json, out, context);
}

void write_item(json::Writer& writer, const void* item) { lang::dynamodb::write(writer, as<Item>(item).view()); }
void write_spelled(json::Writer& writer, const void* item) { write_item(writer, &as<SpelledItem>(item).item); }
void write_value(json::Writer& writer, const void* value) { lang::dynamodb::write(writer, as<Value>(value).view()); }

// Room for all of a list, so that a page of a megabyte is not moved each time the text outgrows its place.
template <class Encoded>
void make_room(json::Writer& writer, const void* list) {
  constexpr size_t kBesideEach = 64;  // the braces, names of types and quotes of a few attributes
  size_t size = 0;
  for (const Encoded& each : as<std::vector<Encoded>>(list)) {
    size += each.encoded().size() + each.encoded().size() / 8 + kBesideEach;
  }
  std::string& text = writer.buffer();
  text.reserve(text.size() + size);
}

void write_page(json::Writer& writer, const void* value) {
  const auto& page = as<ItemPage>(value);
  if (!page.json.empty()) {
    writer.raw(page.json);
    return;
  }
  make_room<Item>(writer, &page.items);
  writer.begin_array();
  for (const Item& item : page.items) write_item(writer, &item);
  writer.end_array();
}

template <class Encoded>
size_t bytes_of(const void* value) {
  return as<Encoded>(value).encoded().size();
}

// What is text already is only copied.
constexpr size_t kCopiedWithEach = 4;

size_t bytes_of_page(const void* value) {
  const auto& page = as<ItemPage>(value);
  size_t bytes = page.json.size() / kCopiedWithEach;
  for (const Item& item : page.items) bytes += item.encoded().size();
  return bytes;
}

// No request has one.
void refuse_page(shapes::Json, void*, shapes::ReadContext&) { throw serialization_error("a page of items is no input"); }

}  // namespace

constinit const shapes::Codec kItem{&parse_item, &write_item, &make_room<Item>, &bytes_of<Item>};
constinit const shapes::Codec kItemPage{&refuse_page, &write_page, nullptr, &bytes_of_page};
// A batch's keys are few and short.
constinit const shapes::Codec kSpelledItem{&parse<SpelledItem, lang::dynamodb::decode_spelled_item>, &write_spelled};
constinit const shapes::Codec kValue{&parse<Value, lang::dynamodb::decode_value>, &write_value, &make_room<Value>,
                                     &bytes_of<Value>};

}  // namespace tidemill::wire::codecs
