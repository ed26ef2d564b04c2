// The reference's test suite (testdata/README.md): every case passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "lang/jsonata/jsonata.h"

namespace tidemill::lang::jsonata {
namespace {

const std::filesystem::path kSuite = TIDEMILL_JSONATA_SUITE;

// Cases whose input says how long they may take; what takes longer does not end at all.
constexpr int64_t kStepsOfTimedCases = 1'000'000;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << path;
  return text.str();
}

// A lone surrogate in JSON text is no UTF-8; as an escape within the expression's string it says the same.
std::string with_escaped_surrogates(std::string text) {
  constexpr std::string_view kLone = "'\\uD800'";
  const size_t at = text.find(kLone);
  if (at == std::string::npos) return text;
  return text.insert(at + 1, "\\").replace(text.find("\"\\uD800\""), 8, "\"\"");
}

json::Value parsed(const std::filesystem::path& path) {
  auto value = json::parse(with_escaped_surrogates(read(path)));
  if (!value) ADD_FAILURE() << path << ": " << value.error().message;
  return value.value_or(json::Value());
}

struct Case {
  std::string name;
  json::Value value;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSuite / "groups")) {
    if (entry.path().extension() != ".json") continue;
    const json::Value file = parsed(entry.path());
    const std::string name = std::filesystem::relative(entry.path(), kSuite / "groups").string();
    if (!file.is_array()) {
      all.push_back({name, file});
      continue;
    }
    for (size_t i = 0; i < file.array().size(); ++i) all.push_back({base::cat(name, "#", i), file.array()[i]});
  }
  std::ranges::sort(all, {}, &Case::name);
  return all;
}

std::optional<json::Value> input_of(const json::Value& test) {
  if (const json::Value* const data = test.find("data")) return *data;
  const json::Value* const dataset = test.find("dataset");
  if (!dataset || dataset->is_null()) return std::nullopt;
  return parsed(kSuite / "datasets" / (dataset->string() + ".json"));
}

std::string expression_of(const Case& test) {
  if (const json::Value* const text = test.value.find("expr")) return text->string();
  const std::string file = test.name.substr(0, test.name.find('/')) + "/" + test.value.find("expr-file")->string();
  return read(kSuite / "groups" / file);
}

std::optional<json::Value> evaluate(const Case& test) {
  Bindings bindings;
  if (const json::Value* const values = test.value.find("bindings")) {
    for (const auto& [name, value] : values->object()) bindings.values.emplace_back(name, &value);
  }
  uint64_t state = 1;
  const World world{.now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + std::chrono::hours(3),
                    .random = [&] { return state = state * 6364136223846793005 + 1442695040888963407; }};
  Limits limits;
  if (const json::Value* const depth = test.value.find("depth")) limits.depth = static_cast<int>(*depth->to_int64());
  if (test.value.find("timelimit")) limits.steps = kStepsOfTimedCases;
  const auto input = input_of(test.value);
  return Expression::compile(expression_of(test)).evaluate(input ? &*input : nullptr, bindings, world, limits);
}

std::string shown(const std::optional<json::Value>& value) { return value ? json::write(*value) : "undefined"; }

// The reference compares as JavaScript does: numbers by value, and undefined in arrays as null.
bool is_same(const json::Value& test, const std::optional<json::Value>& value) {
  const json::Value* const expected = test.find("result");
  if (!expected) return !value;
  if (!value) return false;
  if (test.find("unordered") && value->is_array() && expected->is_array()) {
    return std::ranges::is_permutation(value->array(), expected->array(), json::equal);
  }
  return json::equal(*value, *expected);
}

std::string member(const json::Value& value, std::string_view name) {
  const json::Value* const found = value.find(name);
  return found && found->is_string() ? found->string() : "";
}

void expect_error(const json::Value& expected, const JsonataError& error) {
  EXPECT_EQ(member(expected, "code"), error.code()) << error.what();
  if (const std::string token = member(expected, "token"); !token.empty()) EXPECT_EQ(token, error.token());
  if (const std::string message = member(expected, "message"); !message.empty()) EXPECT_EQ(message, error.message());
}

TEST(JsonataSuite, EveryCaseOfTheReferencePasses) {
  size_t count = 0;
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name + ": " + expression_of(test));
    ++count;
    const json::Value* const object = test.value.find("error");
    const json::Value* const expected = object ? object : test.value.find("code") ? &test.value : nullptr;
    try {
      const auto value = evaluate(test);
      if (expected) {
        ADD_FAILURE() << "expected " << member(*expected, "code") << ", got " << shown(value);
      } else {
        EXPECT_TRUE(is_same(test.value, value)) << shown(value);
      }
    } catch (const JsonataError& error) {
      if (expected) {
        expect_error(*expected, error);
      } else {
        ADD_FAILURE() << error.what();
      }
    }
  }
  EXPECT_EQ(1031, count);
}

}  // namespace
}  // namespace tidemill::lang::jsonata
