// What a Map state runs over, and what each of its iterations gets.
#include "base/text.h"
#include "lang/states/steps.h"

namespace tidemill::lang::states {

namespace {

// Where each item lies; of an object each member.
Document items_of(const State& state, const Scope& scope, const Document& input, Trace* trace) {
  const MapProgram& map = *state.program->map;
  const Env env{.scope = scope, .root = input};
  // Expressions of inline maps must give arrays; paths may lead to objects in any map.
  const auto fits = [&](const json::Value& value) {
    return value.is_array() || (value.is_object() && (state.is_distributed || !map.items));
  };
  Document items = input;
  if (map.items) {
    if (const Query* const query = map.items->query()) {
      items = make_document(query->evaluate(env));
      if (!fits(*items)) items = make_document(query->evaluate(env, json::Kind::array));
    } else {
      items = map.items->evaluate(env);
    }
  } else if (map.items_path) {
    items = map.items_path->path ? require(*map.items_path->path, env) : map.items_path->resolve(env);
  }
  if (!fits(*items)) {
    const std::string path = map.items_path && map.items_path->path ? map.items_path->path->text() : "$";
    throw StateError(error_name::kRuntime, base::cat("Reference path \"", path, "\" must point to array."));
  }
  if (state.query_language == QueryLanguage::jsonpath) note(trace, &Trace::after_items_path, items);
  return items;
}

Document evaluated(const std::optional<Template>& arguments, const Env& env) {
  return arguments ? arguments->evaluate(env) : nullptr;
}

ItemReader reader_of(const MapProgram& map, const Env& env) {
  ItemReader reader = map.reader_config;
  reader.resource = map.reader->arn;
  reader.arguments = evaluated(map.reader->arguments, env);
  if (map.reader_items_max.given()) {
    reader.items_max = integer_of(map.reader_items_max, env);
    if (reader.items_max < 0) throw StateError(error_name::kItemReaderFailed, "field MaxItems must be positive");
    reader.items_max = std::min(reader.items_max, kItemsMax);
  }
  if (map.reader_items_pointer.given()) reader.items_pointer = text_of(map.reader_items_pointer, env);
  if (map.reader_bucket_owner.given()) reader.expected_bucket_owner = text_of(map.reader_bucket_owner, env);
  if (map.reader_headers.given()) {
    const json::Value headers = value_of(map.reader_headers, env);
    if (!headers.is_array()) fail_value(map.reader_headers, headers, "a valid array");
    for (const json::Value& header : headers.array()) {
      if (!header.is_string()) fail_value(map.reader_headers, header, "a valid string");
      reader.headers.push_back(header.string());
    }
  }
  return reader;
}

ItemBatcher batcher_of(const MapProgram& map, const Env& env) {
  ItemBatcher batcher;
  const auto positive = [&](const Scalar& scalar) {
    const int64_t value = integer_of(scalar, env);
    if (value < 1) fail_value(scalar, value, "a positive integer");
    return value;
  };
  if (map.batch_items_max.given()) batcher.items_max = positive(map.batch_items_max);
  if (map.batch_bytes_max.given()) {
    batcher.bytes_max = positive(map.batch_bytes_max);
    if (*batcher.bytes_max > static_cast<int64_t>(kPayloadBytesMax)) {
      fail_value(map.batch_bytes_max, *batcher.bytes_max, "at most 262144");
    }
  }
  batcher.input = evaluated(map.batch_input, env);
  return batcher;
}

}  // namespace

std::optional<ItemReader> literal_reader_of(const State& state) {
  const MapProgram* const map = state.program ? state.program->map.get() : nullptr;
  if (!map || !map->reader) return std::nullopt;
  ItemReader reader = map->reader_config;
  reader.resource = map->reader->arn;
  return reader;
}

MapPlan map_of(const State& state, const Scope& scope, Trace* trace) {
  const MapProgram& map = *state.program->map;
  MapPlan plan{.input = arguments_of(state, scope, trace)};
  const Env env{.scope = scope, .root = plan.input};
  if (!map.reader) plan.items = items_of(state, scope, plan.input, trace);
  if (map.concurrency_max.given()) {
    plan.concurrency_max = integer_of(map.concurrency_max, env);
    if (plan.concurrency_max < 0) throw StateError(error_name::kRuntime, "MaxConcurrency cannot be negative.");
  }
  if (map.tolerated_failure_count.given()) {
    plan.tolerated_failure_count = integer_of(map.tolerated_failure_count, env);
    if (*plan.tolerated_failure_count < 0) {
      throw StateError(error_name::kRuntime, "ToleratedFailureCount cannot be negative.");
    }
  }
  if (map.tolerated_failure_percentage.given()) {
    const json::Value value = value_of(map.tolerated_failure_percentage, env);
    plan.tolerated_failure_percentage = value.to_double();
    if (!plan.tolerated_failure_percentage) fail_value(map.tolerated_failure_percentage, value, "a valid number");
    if (*plan.tolerated_failure_percentage < 0 || *plan.tolerated_failure_percentage > 100) {
      throw StateError(error_name::kRuntime, "ToleratedFailurePercentage must be between 0 and 100.");
    }
  }
  if (map.reader) plan.reader = reader_of(map, env);
  if (map.has_batcher) plan.batcher = batcher_of(map, env);
  if (map.has_writer) {
    plan.writer = map.writer_config;
    if (map.writer) {
      plan.writer->resource = map.writer->arn;
      plan.writer->arguments = evaluated(map.writer->arguments, env);
    }
  }
  return plan;
}

bool has_item_selector(const State& state) { return state.program->map->item_selector.has_value(); }

Document item_input(const State& state, const Scope& scope, const Document& input, const MapItem& item) {
  const MapProgram& map = *state.program->map;
  if (map.item_selector) return map.item_selector->evaluate({.scope = scope, .root = input, .item = &item});
  if (item.key.empty()) return item.value;
  json::Object member;
  member.set("Key", item.key);
  member.set("Value", *item.value);
  return make_document(std::move(member));
}

Document batch_input(const ItemBatcher& batcher, std::span<const Document> items) {
  json::Object batch;
  if (batcher.input) batch.set("BatchInput", *batcher.input);
  json::Array values;
  values.reserve(items.size());
  for (const Document& item : items) values.push_back(*item);
  batch.set("Items", std::move(values));
  return make_document(std::move(batch));
}

}  // namespace tidemill::lang::states
