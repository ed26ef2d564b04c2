// Inside: what a state's evaluation needs, compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/states/choice.h"
#include "lang/states/template.h"

namespace tidemill::lang::states {

// InputPath, ResultPath, OutputPath.
struct PathField {
  enum class Type : uint8_t { whole, nothing, path };  // "$" or not there; null; another path

  Type type = Type::whole;
  std::unique_ptr<const PathValue> path;
};

// A single value: a literal, of JSONPath a field …Path, of JSONata maybe an expression.
struct Scalar {
  std::string field;  // "TimeoutSecondsPath"; empty: it is not there
  Document literal;
  std::unique_ptr<const PathValue> path;
  std::unique_ptr<const Query> query;

  [[nodiscard]] bool given() const { return !field.empty(); }
};

struct Retrier {
  std::vector<std::string> errors;
  double interval_seconds = 1;
  int64_t attempts_max = 3;
  double backoff_rate = 2;
  std::optional<double> delay_seconds_max;
  bool has_full_jitter = false;
};

struct Catcher {
  std::vector<std::string> errors;
  std::string next;
  PathField result_path;
  std::optional<Template> assign;
  std::optional<Template> output;
};

struct Choice {
  Rule rule;                               // of JSONPath
  std::unique_ptr<const Query> condition;  // of JSONata
  std::optional<bool> constant_condition;  // "Condition": true
  std::string next;
  std::optional<Template> assign;
  std::optional<Template> output;
};

// ItemReader and ResultWriter.
struct Resource {
  std::string arn;
  std::optional<Template> arguments;
};

struct MapProgram {
  std::unique_ptr<const PathValue> items_path;
  std::optional<Template> items;  // of JSONata
  std::optional<Template> item_selector;
  Scalar concurrency_max;
  Scalar tolerated_failure_count;
  Scalar tolerated_failure_percentage;

  std::optional<Resource> reader;
  ItemReader reader_config;  // what of it is literal
  Scalar reader_items_max;
  Scalar reader_items_pointer;
  Scalar reader_headers;
  Scalar reader_bucket_owner;

  bool has_batcher = false;
  Scalar batch_items_max;
  Scalar batch_bytes_max;
  std::optional<Template> batch_input;

  bool has_writer = false;
  std::optional<Resource> writer;
  ResultWriter writer_config;
};

struct Program {
  PathField input_path;
  PathField result_path;
  PathField output_path;
  std::optional<Template> parameters;  // Parameters, or Arguments
  std::optional<Template> result_selector;
  std::optional<Template> output;  // of JSONata
  std::optional<Template> assign;

  Document result;            // of a Pass
  Scalar seconds, timestamp;  // of a Wait
  Scalar error, cause;        // of a Fail
  Scalar timeout, heartbeat;  // of a Task
  Scalar role_arn;
  std::vector<Choice> choices;
  std::string default_next;
  std::vector<Retrier> retriers;
  std::vector<Catcher> catchers;
  std::unique_ptr<const MapProgram> map;
};

// The value; of a path, what it leads to. Throws StateError.
[[nodiscard]] json::Value value_of(const Scalar& scalar, const Env& env);
[[nodiscard]] std::string text_of(const Scalar& scalar, const Env& env);
[[nodiscard]] int64_t integer_of(const Scalar& scalar, const Env& env);
// "TimeoutSecondsPath field refers to value …": what such a value is not.
[[noreturn]] void fail_value(const Scalar& scalar, const json::Value& value, std::string_view what);

}  // namespace tidemill::lang::states
