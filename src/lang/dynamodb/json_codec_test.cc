#include "lang/dynamodb/json_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tidemill::lang::dynamodb {
namespace {

std::string round_trip(std::string_view text) { return to_json(item_from_json(text)); }

std::string error_of(std::string_view text) {
  try {
    (void)item_from_json(text);
    return "no error";
  } catch (const ValueError& error) {
    return (error.kind() == ValueError::Kind::serialization ? "serialization: " : "") +
           std::string(error.prefixed() ? "1: " : "") + error.what();
  }
}

// The error of an attribute's value.
std::string value_error(const std::string& value) { return error_of(R"({"a":)" + value + "}"); }

TEST(DynamoJson, BringsEveryTypeBack) {
  for (const char* text :
       {R"({})", R"({"a":{"S":"x"}})", R"({"a":{"S":""}})", R"({"a":{"N":"-1.5"}})", R"({"a":{"B":"AP8="}})",
        R"({"a":{"B":""}})", R"({"a":{"BOOL":true},"b":{"BOOL":false},"c":{"NULL":true}})", R"({"a":{"L":[]}})",
        R"({"a":{"M":{}}})", R"({"a":{"L":[{"S":"x"},{"L":[{"N":"1"}]}]}})",
        R"({"a":{"M":{"b":{"M":{"c":{"S":"d"}}},"e":{"NULL":true}}}})", R"({"a":{"SS":["","x","y"]}})",
        R"({"a":{"NS":["-2","0","1.5","10"]}})", R"({"a":{"BS":["","AA==","/w=="]}})",
        R"({"\"\\\n\u0001ä😀":{"S":"\"\\\n\u0001ä😀"}})"}) {
    EXPECT_EQ(round_trip(text), text);
    EXPECT_TRUE(is_valid_item(item_from_json(text).encoded())) << text;
  }
}

TEST(DynamoJson, BringsValuesIntoCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"b":{"S":"2"},"a":{"S":"1"}})", R"({"a":{"S":"1"},"b":{"S":"2"}})"},
      {R"({ "a" : { "N" : "1e3" } })", R"({"a":{"N":"1000"}})"},
      {R"({"a":{"S":"1"},"b":{"S":"2"},"a":{"S":"3"}})", R"({"a":{"S":"3"},"b":{"S":"2"}})"},
      {R"({"m":{"M":{"z":{"N":"1"},"y":{"M":{"b":{"N":"2"},"a":{"N":"3"}}},"x":{"N":"4"}}}})",
       R"({"m":{"M":{"x":{"N":"4"},"y":{"M":{"a":{"N":"3"},"b":{"N":"2"}}},"z":{"N":"1"}}}})"},
      {R"({"s":{"SS":["b","a","c"]},"n":{"NS":["10","9","-1"]}})",
       R"({"n":{"NS":["-1","9","10"]},"s":{"SS":["a","b","c"]}})"},
      {R"({"a":{"S":"\u00e9\/\ud83d\ude00"}})", R"({"a":{"S":"é/😀"}})"},
      {R"({"\u0061b":{"S":"x"}})", R"({"ab":{"S":"x"}})"},
      {R"({"a":{"S":"x","N":null}})", R"({"a":{"S":"x"}})"},
      {R"({"a":{"S":"x","Unknown":{"deep":[1,{}]}}})", R"({"a":{"S":"x"}})"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(round_trip(text), expected) << text;
}

TEST(DynamoJson, RefusesWrongValuesWithAwsMessages) {
  const std::string invalid = "One or more parameter values were invalid: ";
  const std::pair<const char*, std::string> cases[] = {
      {"{}", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {R"({"X":"a"})", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {"null", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {R"({"S":"a","N":"1"})",
       "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
      {R"({"NULL":false})", invalid + "Null attribute value types must have the value of true"},
      {R"({"SS":[]})", "1: " + invalid + "An string set  may not be empty"},
      {R"({"NS":[]})", "1: " + invalid + "An number set  may not be empty"},
      {R"({"BS":[]})", invalid + "Binary sets should not be empty"},
      {R"({"SS":["a","b","a"]})", invalid + "Input collection [a, b, a] contains duplicates."},
      {R"({"BS":["AA==","AA=="]})", invalid + "Input collection [AA==, AA==]of type BS contains duplicates."},
      {R"({"NS":["1","1.0"]})", "Input collection contains duplicates"},
      {R"({"N":""})", "The parameter cannot be converted to a numeric value"},
      {R"({"N":"x"})", "The parameter cannot be converted to a numeric value: x"},
      {R"({"N":" 1"})", "The parameter cannot be converted to a numeric value:  1"},
      {R"({"N":"1e126"})", "Number overflow. Attempting to store a number with magnitude larger than supported range"},
      {R"({"N":"1e-131"})",
       "Number underflow. Attempting to store a number with magnitude smaller than supported range"},
      {R"({"NS":["123456789012345678901234567890123456789"]})",
       "Attempting to store more than 38 significant digits in a Number"},
      {R"({"M":{"":{"S":"x"}}})", "Empty attribute name"}};
  for (const auto& [value, message] : cases) EXPECT_EQ(value_error(value), message) << value;
  EXPECT_EQ(error_of(R"({"":{"S":"x"}})"), "Empty attribute name");
}

TEST(DynamoJson, RefusesWrongJsonTypesAsSerializationErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("23")", "Unexpected value type in payload"},
      {"true", "Unexpected value type in payload"},
      {"23", "Unexpected value type in payload"},
      {"[]", "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
      {R"({"S":true})", "TRUE_VALUE cannot be converted to String"},
      {R"({"S":false})", "FALSE_VALUE cannot be converted to String"},
      {R"({"N":123})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"N":34.56})", "DECIMAL_VALUE cannot be converted to String"},
      {R"({"S":[]})", "Unrecognized collection type class java.lang.String"},
      {R"({"S":{}})", "Start of structure or map found where not expected"},
      {R"({"SS":["a",1]})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"BOOL":"true"})", "Unexpected token received from parser"},
      {R"({"NULL":"no"})", "Unexpected token received from parser"},
      {R"({"BOOL":1})", "NUMBER_VALUE cannot be converted to Boolean"},
      {R"({"BOOL":1.5})", "DECIMAL_VALUE cannot be converted to Boolean"},
      {R"({"BOOL":[]})", "Unrecognized collection type class java.lang.Boolean"},
      {R"({"BOOL":{}})", "Start of structure or map found where not expected"},
      {R"({"B":true})", "only base-64-encoded strings are convertible to bytes"},
      {R"({"B":23})", "only base-64-encoded strings are convertible to bytes"},
      {R"({"B":[]})", "Unrecognized collection type class java.nio.ByteBuffer"},
      {R"({"B":{}})", "Start of structure or map found where not expected"},
      {R"({"B":"23456"})", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
      {R"({"B":"=+/="})", "Invalid last non-pad Base64 character dectected"},
      {R"({"B":"+/+="})", "Invalid last non-pad Base64 character dectected"},
      {R"({"B":"ab!="})", "Invalid Base64 character: '!'"},
      {R"({"BS":["x"]})", "Base64 encoded length is expected a multiple of 4 bytes but found: 1"},
      {R"({"L":"23"})", "Unexpected field type"},
      {R"({"L":{}})", "Start of structure or map found where not expected"},
      {R"({"SS":true})", "Unexpected field type"},
      {R"({"L":["x"]})", "Unexpected value type in payload"},
      {R"({"M":1})", "Unexpected field type"},
      {R"({"M":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"},
      {R"({"M":{"b":1}})", "Unexpected value type in payload"}};
  for (const auto& [value, message] : cases)
    EXPECT_EQ(value_error(value), std::string("serialization: ") + message) << value;
  EXPECT_EQ(error_of("[]"),
            "serialization: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_TRUE(error_of("{").starts_with("serialization"));
}

TEST(DynamoJson, LimitsNesting) {
  const auto nested = [](int depth) {
    std::string text = R"({"S":"x"})";
    for (int i = 0; i < depth; ++i) text = i % 2 == 0 ? R"({"L":[)" + text + "]}" : R"({"M":{"k":)" + text + "}}";
    return text;
  };
  // The attribute is the first level, so that 31 lists or maps with a string inside are the deepest.
  EXPECT_EQ(value_error(nested(kDepthMax - 1)), "no error");
  EXPECT_EQ(value_error(nested(kDepthMax)), kNestedTooDeeply);
}

TEST(DynamoJson, SaysWhichAttributeOfAnItemIsWrong) {
  try {
    (void)item_from_json(R"({"a":{"S":"x"},"b":{"L":[{"M":{"c":{"N":"x"}}}]}})");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.attribute(), "b");
  }
}

TEST(DynamoJson, TellsWhatAnItemNests) {
  Value deep = Value::string("x");
  for (int i = 1; i < kDepthMax; ++i) deep = Value::list({deep});
  EXPECT_EQ(nesting_error(Item{{"a", deep}}), std::nullopt);
  EXPECT_EQ(nesting_error(Item{{"a", Value::list({deep})}}), kNestedTooDeeply);
  const Value nameless = Value::list({Value::map({{"", Value::string("x")}})});
  EXPECT_EQ(nesting_error(Item{{"a", nameless}}), "Empty attribute name");
  EXPECT_EQ(nesting_error(Item{{"a", nameless}, {"b", Value::list({deep})}}), kNestedTooDeeply);
}

TEST(DynamoJson, NamesTheKeyOfAWrongExpressionValue) {
  const auto error_of_values = [](std::string_view text) -> std::string {
    try {
      (void)attribute_values_from_json(text);
      return "no error";
    } catch (const ValueError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of_values(R"({":a":{"N":"x"}})"),
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x "
            "for key :a");
  EXPECT_EQ(error_of_values(R"({":a":{"N":1}})"), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(error_of_values(R"({"":{"N":"1"}})"), "no error");  // refused as a placeholder, later
}

TEST(DynamoJson, TakesItemsBeyondItsFirstBuffers) {
  std::string text = "{";
  for (int i = 0; i < 500; ++i)
    text += R"("k)" + std::to_string(999 - i) + R"(":{"S":")" + std::string(100, 'x') + R"("},)";
  text.back() = '}';
  const Item item = item_from_json(text);
  EXPECT_TRUE(is_valid_item(item.encoded()));
  EXPECT_EQ(item.view().count(), 500u);
  EXPECT_EQ(round_trip(to_json(item.view())), to_json(item.view()));
}

TEST(DynamoJson, WritesThroughAJsonWriter) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("Keys");
  write(writer, item_from_json(R"({"a":{"S":"x"}})").view());
  writer.key("Items");
  writer.begin_array();
  write(writer, Value::number(1).view());
  write(writer, Value::string("\n" + std::string(1000, 'y')).view());
  writer.end_array();
  writer.end_object();
  EXPECT_EQ(text, R"({"Keys":{"a":{"S":"x"}},"Items":[{"N":"1"},{"S":"\n)" + std::string(1000, 'y') + R"("}]})");
}

// ---- Random values ----

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : random_(seed) {}

  Value value(int depth = 0) {
    switch (random_() % (depth > 3 ? 8 : 10)) {
      case 0:
        return Value::string(text());
      case 1:
        return Value::binary(bytes());
      case 2:
        return Value::number(number());
      case 3:
        return Value::boolean(random_() % 2 == 0);
      case 4:
        return Value::null();
      case 5:
        return Value::string_set(several<std::string>([&] { return text(); }));
      case 6:
        return Value::binary_set(several<std::string>([&] { return bytes(); }));
      case 7:
        return Value::number_set(several<Decimal>([&] { return number(); }));
      case 8: {
        std::vector<Value> elements;
        for (size_t i = random_() % 5; i > 0; --i) elements.push_back(value(depth + 1));
        return Value::list(elements);
      }
      default: {
        std::vector<std::pair<std::string, Value>> members;
        for (size_t i = random_() % 5; i > 0; --i) members.emplace_back("k" + text(), value(depth + 1));
        return Value::map(members);
      }
    }
  }

 private:
  template <class T, class Make>
  std::vector<T> several(Make make) {
    std::vector<T> all;
    for (size_t i = random_() % 5 + 1; i > 0; --i) all.push_back(make());
    return all;
  }
  std::string bytes() {
    std::string bytes;
    for (size_t i = random_() % 40; i > 0; --i) bytes.push_back(static_cast<char>(random_()));
    return bytes;
  }
  std::string text() {
    static constexpr const char* kPieces[] = {"a", "b",    "\"", "\\",          "\n", "é", "😀",
                                              " ", "\x01", "/",  "longer text", "{",  "]"};
    std::string text;
    for (size_t i = random_() % 12; i > 0; --i) text += kPieces[random_() % std::size(kPieces)];
    return text;
  }
  Decimal number() {
    std::string digits = random_() % 2 == 0 ? "-" : "";
    for (size_t i = random_() % 38 + 1; i > 0; --i) digits.push_back(static_cast<char>('0' + random_() % 10));
    return Decimal::parse(digits + "e" + std::to_string(static_cast<int>(random_() % 160) - 90)).value_or(Decimal());
  }

  std::mt19937_64 random_;
};

TEST(DynamoJson, BringsRandomValuesBack) {
  RandomValues values(11);
  for (int i = 0; i < 5000; ++i) {
    const Value value = values.value();
    ASSERT_TRUE(is_valid_value(value.encoded()));
    const std::string text = to_json(value.view());
    const Value back = value_from_json(text);
    ASSERT_EQ(back, value) << text;
    ASSERT_TRUE(json::parse(text).has_value()) << text;
  }
}

TEST(DynamoJson, SaysWhatAnItemWeighsThatItWrites) {
  RandomValues values(12);
  for (int i = 0; i < 2000; ++i) {
    const Value first = values.value();
    const Value second = values.value();
    const Item item{{"name", first}, {"other", second}};
    std::string text;
    ASSERT_EQ(append_json(text, item.view()), item_size(item.view())) << text;
  }
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
