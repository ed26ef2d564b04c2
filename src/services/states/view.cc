#include "services/states/view.h"

#include "base/text.h"

namespace tidemill::states {
namespace {

json::Value time_value(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

bool counts_retries(asl::StateType type) {
  return type == asl::StateType::task || type == asl::StateType::parallel || type == asl::StateType::map;
}

json::Value state_part(const Frame& frame) {
  json::Object state{{"EnteredTime", time_value(frame.entered)}, {"Name", frame.state}};
  if (counts_retries(frame.at->type)) state.set("RetryCount", frame.retries);
  return state;
}

// The innermost iteration that the frame is, or is below of; null: none.
const Frame* iteration_of(Live& live, const Frame& frame) {
  for (const Frame* at = &frame; at->parent != 0; at = live.find(at->parent)) {
    const Frame& parent = live.frames.at(at->parent);
    if (parent.at->type == asl::StateType::map) return at;
  }
  return nullptr;
}

void set_map_part(Live& live, const Frame& frame, json::Object& context) {
  const Frame* iteration = iteration_of(live, frame);
  const Frame* map = iteration ? live.find(iteration->parent) : nullptr;
  if (!map || !map->items) {
    context.erase("Map");
    return;
  }
  std::string_view key;
  const asl::Document value = item_of(map->items, iteration->index, key);
  json::Object item{{"Index", iteration->index}, {"Value", *value}};
  if (!key.empty()) item.set("Key", key);
  context.set("Map", json::Object{{"Item", std::move(item)}});
}

}  // namespace

View::View(Live& live, const Frame& frame, const asl::World& world, const std::string& token) {
  json::Object& context = live.context.object();
  context.set("State", state_part(frame));
  if (token.empty()) {
    context.erase("Task");
  } else {
    context.set("Task", json::Object{{"Token", token}});
  }
  set_map_part(live, frame, context);
  size_t depth = 0;
  for (const Frame* at = &frame; at; at = live.find(at->parent)) ++depth;
  chain_.resize(depth);
  size_t i = 0;
  for (const Frame* at = &frame; at; at = live.find(at->parent), ++i) {
    chain_[i].values = &at->variables;
    chain_[i].outer = i + 1 < depth ? &chain_[i + 1] : nullptr;
  }
  scope_.input = frame.input.document();
  scope_.context = &live.context;
  scope_.variables = chain_.data();
  scope_.world = &world;
}

json::Value context_of_execution(const Head& head, const asl::Document& input, std::string_view execution_arn,
                                 std::string_view machine_arn) {
  json::Object execution{{"Id", execution_arn},
                         {"Input", *input},
                         {"StartTime", time_value(head.started)},
                         {"Name", head.address.name},
                         {"RoleArn", head.role},
                         {"RedriveCount", head.redrives}};
  if (head.redriven) execution.set("RedriveTime", time_value(*head.redriven));
  json::Object machine{{"Id", machine_arn}, {"Name", head.address.machine}};
  return json::Object{{"Execution", std::move(execution)}, {"StateMachine", std::move(machine)}};
}

}  // namespace tidemill::states
