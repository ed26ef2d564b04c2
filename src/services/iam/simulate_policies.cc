// SimulateCustomPolicy, SimulatePrincipalPolicy and the condition keys that either would ask for.
#include <algorithm>
#include <charconv>

#include "base/blocking_work.h"
#include "base/text.h"
#include "services/iam/errors.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/simulated_request.h"
#include "services/iam/simulation.h"
#include "wire/arn.h"

namespace tidemill::iam {

namespace {

using base::cat;
using lang::policies::PrincipalKind;

constexpr size_t kEvaluatedAtOnce = 10;  // then others' simulations have their turn

void append(std::vector<SimulatedPolicy>& policies, std::vector<SimulatedPolicy> more) {
  std::ranges::move(more, std::back_inserter(policies));
}

// The identity that PolicySourceArn names. Throws NoSuchEntity, and InvalidInput for what names none.
Task<Identity> load_source(store::Snapshot& reader, const wire::Context& context, const std::string& arn) {
  const auto parsed = wire::parse_arn_of("iam", arn);
  const std::string_view resource = parsed ? parsed->resource : std::string_view();
  for (const Kind kind : {Kind::user, Kind::group, Kind::role}) {
    if (!resource.starts_with(cat(name_of(kind), "/")) || parsed->account != context.account) continue;
    const std::string name(resource.substr(resource.rfind('/') + 1));
    Identity identity = co_await load_identity(reader, {kind, context.account, name});
    if (identity.arn() != arn) throw no_such(name_of(kind), name);
    co_return identity;
  }
  throw errors::invalid_input_exception(
      cat("Invalid Entity Arn: ", arn, " does not clearly define entity type and name."));
}

// Who a simulation of an identity's policies is taken for.
void be(const Identity& identity, Simulation::Setting& setting) {
  if (identity.address.kind == Kind::group) return;
  const bool is_user = identity.address.kind == Kind::user;
  auto& caller = setting.caller;
  caller = {.kind = is_user ? PrincipalKind::user : PrincipalKind::role,
            .account = identity.address.account,
            .arn = identity.arn(),
            .role_arn = is_user ? "" : identity.arn(),
            .id = identity.id};
  tell_caller(setting);
  for (const auto& [key, value] : identity.tags) setting.facts.set(cat("aws:PrincipalTag/", key), value);
}

// From `marker` on, as many as a page has.
template <class Output, class Request>
Task<Output> evaluate_page(base::BlockingWork& simulating, const Simulation& simulation, const Request& request) {
  const std::vector<std::string> everything{"*"};
  const auto& resources =
      request.resource_arns && !request.resource_arns->empty() ? *request.resource_arns : everything;
  simulation.require_bounded(request.action_names, resources);
  const size_t count = request.action_names.size() * resources.size();
  size_t next = 0;
  if (request.marker) {
    const char* const end = request.marker->data() + request.marker->size();
    const auto read = std::from_chars(request.marker->data(), end, next);
    if (read.ec != std::errc() || read.ptr != end || next >= count) throw invalid("Invalid Marker.");
  }
  Output out;
  auto& results = out.evaluation_results.emplace();
  while (next < count && results.size() < page_size(request)) {
    const size_t upto = std::min({count, next + kEvaluatedAtOnce, next + page_size(request) - results.size()});
    co_await simulating.run_joined([&] {
      for (; next < upto; ++next) {
        results.push_back(
            simulation.evaluate(request.action_names[next / resources.size()], resources[next % resources.size()]));
      }
    });
  }
  out.is_truncated = next < count;
  if (next < count) out.marker = std::to_string(next);
  co_return out;
}

}  // namespace

Task<shapes::SimulateCustomPolicyOutput> simulate_custom_policy(Service& service, wire::Context& context,
                                                                const shapes::SimulateCustomPolicyInput& request) {
  Simulation::Setting setting;
  setting.caller = {.kind = PrincipalKind::user, .account = context.account};
  co_await service.simulating().run_joined([&] {
    setting.policies = simulated(request.policy_input_list, "PolicyInputList");
    apply_request(request, setting);
  });
  const Simulation simulation(std::move(setting));
  co_return co_await evaluate_page<shapes::SimulateCustomPolicyOutput>(service.simulating(), simulation, request);
}

Task<shapes::SimulatePrincipalPolicyOutput> simulate_principal_policy(
    Service& service, wire::Context& context, const shapes::SimulatePrincipalPolicyInput& request) {
  auto snapshot = service.store().snapshot();
  const Identity source = co_await load_source(*snapshot, context, request.policy_source_arn);
  Simulation::Setting setting;
  setting.caller = {.kind = PrincipalKind::user, .account = context.account};
  be(source, setting);
  const auto held = co_await policies_of(*snapshot, source);
  const auto boundaries = co_await boundaries_of(*snapshot, source);
  snapshot.reset();
  co_await service.simulating().run_joined([&] {
    setting.policies = simulated(held);
    if (request.policy_input_list) append(setting.policies, simulated(*request.policy_input_list, "PolicyInputList"));
    setting.boundary = simulated(boundaries);
    apply_request(request, setting);
  });
  const Simulation simulation(std::move(setting));
  co_return co_await evaluate_page<shapes::SimulatePrincipalPolicyOutput>(service.simulating(), simulation, request);
}

Task<shapes::GetContextKeysForCustomPolicyOutput> get_context_keys_for_custom_policy(
    Service& service, wire::Context&, const shapes::GetContextKeysForCustomPolicyInput& request) {
  shapes::GetContextKeysForCustomPolicyOutput out;
  out.context_key_names = co_await service.simulating().run_joined(
      [&] { return context_keys(simulated(request.policy_input_list, "PolicyInputList")); });
  co_return out;
}

Task<shapes::GetContextKeysForPrincipalPolicyOutput> get_context_keys_for_principal_policy(
    Service& service, wire::Context& context, const shapes::GetContextKeysForPrincipalPolicyInput& request) {
  auto snapshot = service.store().snapshot();
  const Identity source = co_await load_source(*snapshot, context, request.policy_source_arn);
  const auto held = co_await policies_of(*snapshot, source);
  snapshot.reset();
  shapes::GetContextKeysForPrincipalPolicyOutput out;
  out.context_key_names = co_await service.simulating().run_joined([&] {
    std::vector<SimulatedPolicy> policies = simulated(held);
    if (request.policy_input_list) append(policies, simulated(*request.policy_input_list, "PolicyInputList"));
    return context_keys(policies);
  });
  co_return out;
}

}  // namespace tidemill::iam
