// Reads JSON values straight from simdjson: what shape_json.h and codecs are made of. Includes simdjson (two seconds of
// compile time), so nothing else includes this.
//
// What holds for every model: unknown members are skipped; of members with one name the last counts; null is as if the
// member were absent; a value of another JSON type is a SerializationException with AWS's words.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "wire/error.h"
#include "wire/read_context.h"
#include "wire/timestamp.h"
#include "wire/unsupported.h"

namespace tidemill::wire::shapes {

using Json = simdjson::ondemand::value;

// How a value stands in its parent; AWS words a wrong type by it.
enum class Place {
  field,    // a member of a structure
  element,  // a structure in a list or map
  nested,   // a list or map in a list or map
};

// A body while it is read. One at a time per thread.
class JsonBody {
 public:
  // An empty body is as good as {}. Throws simdjson_error.
  explicit JsonBody(std::string_view text);
  ~JsonBody();
  JsonBody(const JsonBody&) = delete;

  [[nodiscard]] Json root();
  // Throws unless the document was the whole text.
  void finish();

 private:
  struct Memory;
  std::unique_ptr<Memory> own_;  // of a large body
  Memory& memory_;
  simdjson::ondemand::document document_;
};

// Throws SerializationException.
[[noreturn]] void refuse_malformed(const simdjson::simdjson_error& error);
[[noreturn]] void refuse_null_element();
[[noreturn]] void refuse_scalar(Json json, Place place);

struct Field {
  std::string_view name;
  Json value;
};

// `class_name` is what AWS calls the shape when it meets a list instead.
simdjson::ondemand::object open_object(Json json, Place place, std::string_view class_name);
simdjson::ondemand::array open_array(Json json, Place place);

inline bool is_null(Json& json) { return json.is_null().value(); }

inline Field next_field(simdjson::simdjson_result<simdjson::ondemand::field>& entry) {
  simdjson::ondemand::field field;
  if (const auto error = std::move(entry).get(field)) throw simdjson::simdjson_error(error);
  const std::string_view name = field.unescaped_key().value();
  return {name, field.value()};
}

inline Json next_element(simdjson::simdjson_result<Json>& entry) {
  Json json = std::move(entry).value();
  if (is_null(json)) refuse_null_element();
  return json;
}

// A required member's place, emptied: an earlier member of the same name does not count.
template <class T>
T& fresh(T& place) {
  place = T();
  return place;
}

std::string read_string(Json json);
bool read_boolean(Json json);
int32_t read_integer(Json json);  // fractions are cut off; beyond the range: its end
int64_t read_long(Json json);
double read_double(Json json);
std::string read_blob(Json json);
base::Time read_timestamp(Json json, TimestampFormat format);
json::Value read_document(Json json);

// A member that Tidemill does not support: throws the service's error with its name, unless the value is null, empty
// or the JSON text `accepted`, which ask for nothing. "" accepts nothing further.
void refuse_unsupported(const ReadContext& context, Field& field, std::string_view accepted);

}  // namespace tidemill::wire::shapes
