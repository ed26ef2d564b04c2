// Items and attribute values in requests and answers of DynamoDB: lang's codec with wire's errors.
#pragma once

#include <vector>

#include "lang/dynamodb/item_page.h"
#include "lang/dynamodb/json_codec_simdjson.h"
#include "wire/shape_reader.h"

namespace tidemill::wire::codecs {

// Throws SerializationException; a wrong value is kept in the context until the request is read.
void parse(shapes::Json json, lang::dynamodb::Item& out, shapes::ReadContext& context);
void parse(shapes::Json json, lang::dynamodb::SpelledItem& out, shapes::ReadContext& context);
void parse(shapes::Json json, lang::dynamodb::Value& out, shapes::ReadContext& context);

inline void write(json::Writer& writer, const lang::dynamodb::Item& item) {
  lang::dynamodb::write(writer, item.view());
}

inline void write(json::Writer& writer, const lang::dynamodb::SpelledItem& item) { write(writer, item.item); }

inline void write(json::Writer& writer, const lang::dynamodb::Value& value) {
  lang::dynamodb::write(writer, value.view());
}

void write(json::Writer& writer, const lang::dynamodb::ItemPage& page);

// Before a list of items or values is written: room for all of them, so that a page of a megabyte is not moved each time
// the text outgrows its place.
template <class Encoded>
void make_room(json::Writer& writer, const std::vector<Encoded>& list) {
  constexpr size_t kBesideEach = 64;  // the braces, names of types and quotes of a few attributes
  size_t size = 0;
  for (const Encoded& each : list) size += each.encoded().size() + each.encoded().size() / 8 + kBesideEach;
  std::string& text = writer.buffer();
  text.reserve(text.size() + size);
}

// A batch's keys are few and short.
inline void make_room(json::Writer&, const std::vector<lang::dynamodb::SpelledItem>&) {}

}  // namespace tidemill::wire::codecs
