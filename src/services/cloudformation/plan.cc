#include "services/cloudformation/plan.h"

#include <algorithm>
#include <stdexcept>

#include "lang/templates/parse.h"
#include "services/cloudformation/event.h"

namespace tidemill::cloudformation {

namespace templates = lang::templates;

namespace {

const templates::Template& with_rules(const templates::Template& stack, const templates::Inputs& inputs) {
  templates::check_rules(stack, inputs);
  return stack;
}

}  // namespace

templates::Pseudo pseudo_of(const StackId& id, const Settings& settings) {
  templates::Pseudo pseudo;
  pseudo.account_id = id.place.account;
  pseudo.region = id.place.region;
  pseudo.stack_id = id.arn();
  pseudo.stack_name = id.name;
  pseudo.notification_arns = settings.notification_arns;
  return pseudo;
}

bool has_nested_stacks(const Plan& plan) {
  return std::ranges::any_of(plan.graph.order(),
                             [&](const std::string& name) { return plan.stack.resource(name)->type == kStackType; });
}

Plan::Plan(json::Value document, const StackId& id, const Settings& settings)
    : stack(std::move(document)),
      scope(with_rules(stack, {pseudo_of(id, settings), settings.values()}), {pseudo_of(id, settings), settings.values()}),
      graph(scope) {}

Task<std::unique_ptr<Plan>> load_plan(base::BlockingWork& work, store::Snapshot& reader, const StackId& id,
                                      std::string_view slot, const Settings& settings) {
  const auto text = co_await load_template(reader, id, slot);
  if (!text) throw std::runtime_error("the template of a stack is not there");
  co_return co_await work.run_joined(
      [&] { return std::make_unique<Plan>(templates::parse(text->deployed()), id, settings); });
}

}  // namespace tidemill::cloudformation
