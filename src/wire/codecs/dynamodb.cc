#include "wire/codecs/dynamodb.h"

namespace tidemill::wire::codecs {

namespace {

Error error_of(const lang::dynamodb::ValueError& error, const OperationInfo& operation) {
  const bool prefixed = error.prefixed() && operation.prefixed_value_errors;
  return validation_error(prefixed ? std::string("1 validation error detected: ") + error.what() : error.what());
}

// Runs `read`; a wrong value is kept in the context.
template <class Read>
void decode(shapes::ReadContext& context, Read read) {
  try {
    read();
  } catch (const lang::dynamodb::ValueError& error) {
    if (error.kind() == lang::dynamodb::ValueError::Kind::serialization) throw serialization_error(error.what());
    if (!context.deferred) context.deferred = error_of(error, context.operation);
  }
}

}  // namespace

void parse(shapes::Json json, lang::dynamodb::Item& out, shapes::ReadContext& context) {
  decode(context, [&] { out = lang::dynamodb::decode_item(json); });
}

void parse(shapes::Json json, lang::dynamodb::SpelledItem& out, shapes::ReadContext& context) {
  decode(context, [&] { out = lang::dynamodb::decode_spelled_item(json); });
}

void parse(shapes::Json json, lang::dynamodb::Value& out, shapes::ReadContext& context) {
  decode(context, [&] { out = lang::dynamodb::decode_value(json); });
}

void write(json::Writer& writer, const lang::dynamodb::ItemPage& page) {
  if (!page.json.empty()) {
    writer.raw(page.json);
    return;
  }
  make_room(writer, page.items);
  writer.begin_array();
  for (const lang::dynamodb::Item& item : page.items) write(writer, item);
  writer.end_array();
}

}  // namespace tidemill::wire::codecs
