#include "services/states/tested_map.h"

#include <vector>

#include "services/states/errors.h"
#include "services/states/item_split.h"
#include "services/states/live.h"

namespace tidemill::states {
namespace {

using InputType = asl::ItemReader::InputType;

struct Item {
  asl::Document value;
  std::string key;  // of an object's member
};

// What an ItemReader would have read.
std::vector<Item> read_items(asl::ItemReader reader, const std::string& text) {
  const bool is_split = reader.input_type == InputType::csv || reader.input_type == InputType::jsonl;
  if (!is_split) reader.input_type = InputType::json;  // rows of listings and manifests come as an array
  const auto splitter = make_splitter(reader, {});
  splitter->feed(text);
  splitter->finish();
  std::vector<Item> items;
  while (reader.items_max == 0 || items.size() < static_cast<size_t>(reader.items_max)) {
    auto item = splitter->next();
    if (!item) break;
    items.push_back({std::move(item->value), std::move(item->key)});
  }
  return items;
}

std::vector<Item> items_of(const asl::Document& items) {
  std::vector<Item> all;
  for (size_t i = 0; i < count_of(items); ++i) {
    std::string_view key;
    asl::Document value = item_of(items, i, key);
    all.push_back({std::move(value), std::string(key)});
  }
  return all;
}

std::vector<asl::Document> batches_of(const asl::ItemBatcher& batcher, const std::vector<asl::Document>& inputs) {
  std::vector<asl::Document> batches;
  std::vector<asl::Document> batch;
  const size_t bytes_of_none = asl::text_size(*asl::batch_input(batcher, {}));
  size_t bytes = bytes_of_none;
  const auto end_batch = [&] {
    if (batch.empty()) return;
    batches.push_back(asl::batch_input(batcher, batch));
    batch.clear();
    bytes = bytes_of_none;
  };
  for (const asl::Document& input : inputs) {
    const size_t more = asl::text_size(*input) + (batch.empty() ? 0 : 1);
    if (batcher.bytes_max && bytes + more > static_cast<size_t>(*batcher.bytes_max)) end_batch();
    bytes += more;
    batch.push_back(input);
    if (batcher.items_max && batch.size() == static_cast<size_t>(*batcher.items_max)) end_batch();
  }
  end_batch();
  return batches;
}

std::string array_text(const std::vector<asl::Document>& values) {
  std::string text;
  json::Writer writer(text);
  writer.begin_array();
  for (const asl::Document& value : values) writer.value(*value);
  writer.end_array();
  return text;
}

void see_plan(const asl::MapPlan& plan, wire::states::InspectionData& seen) {
  seen.max_concurrency = static_cast<int32_t>(plan.concurrency_max);
  if (plan.tolerated_failure_count) seen.tolerated_failure_count = static_cast<int32_t>(*plan.tolerated_failure_count);
  if (plan.tolerated_failure_percentage) seen.tolerated_failure_percentage = *plan.tolerated_failure_percentage;
}

void see_items(const asl::State& state, const asl::Scope& scope, const asl::MapPlan& plan,
               const std::vector<Item>& items, wire::states::InspectionData& seen) {
  std::vector<asl::Document> inputs;
  if (plan.reader && !plan.reader->items_pointer.empty()) {
    for (const Item& item : items) inputs.push_back(item.value);
    seen.after_items_pointer = array_text(inputs);
    inputs.clear();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    inputs.push_back(
        asl::item_input(state, scope, plan.input, {.index = i, .value = items[i].value, .key = items[i].key}));
  }
  if (asl::has_item_selector(state)) seen.after_item_selector = array_text(inputs);
  if (plan.batcher) seen.after_item_batcher = array_text(batches_of(*plan.batcher, inputs));
}

bool is_too_many(int64_t failed, size_t items, const asl::MapPlan& plan) {
  if (plan.tolerated_failure_count && failed > *plan.tolerated_failure_count) return true;
  return plan.tolerated_failure_percentage &&
         static_cast<double>(failed) * 100 > *plan.tolerated_failure_percentage * static_cast<double>(items);
}

}  // namespace

void inspect_map(const asl::State& state, const asl::Scope& scope,
                 const wire::states::TestStateConfiguration& configuration, asl::Trace& trace, TestedMap& map) {
  const asl::MapPlan plan = asl::map_of(state, scope, &trace);
  see_plan(plan, map.seen);
  const bool are_known = plan.items || configuration.map_item_reader_data;
  std::vector<Item> items;
  if (plan.items)
    items = items_of(plan.items);
  else if (are_known)
    items = read_items(*plan.reader, *configuration.map_item_reader_data);
  if (are_known) see_items(state, scope, plan, items, map.seen);
  const int64_t failed = configuration.map_iteration_failure_count.value_or(0);
  if (are_known && failed > static_cast<int64_t>(items.size())) {
    throw errors::validation_exception("mapIterationFailureCount cannot exceed the number of items in the input.");
  }
  if (!is_too_many(failed, items.size(), plan)) return;
  map.failure = asl::Failure{.error = std::string(asl::error_name::kExceedToleratedFailureThreshold),
                             .cause = "The specified tolerated failure threshold was exceeded"};
}

}  // namespace tidemill::states
