// Items and attribute values in requests and answers of DynamoDB: lang's codec with wire's errors.
#pragma once

#include "lang/dynamodb/json_codec_simdjson.h"
#include "wire/shape_reader.h"

namespace tidemill::wire::codecs {

// Throws SerializationException; a wrong value is kept in the context until the request is read.
void parse(shapes::Json json, lang::dynamodb::Item& out, shapes::ReadContext& context);
void parse(shapes::Json json, lang::dynamodb::Value& out, shapes::ReadContext& context);

inline void write(json::Writer& writer, const lang::dynamodb::Item& item) {
  lang::dynamodb::write(writer, item.view());
}

inline void write(json::Writer& writer, const lang::dynamodb::Value& value) {
  lang::dynamodb::write(writer, value.view());
}

}  // namespace tidemill::wire::codecs
