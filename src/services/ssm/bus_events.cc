#include "services/ssm/bus_events.h"

#include "engine/targets/bus_target.h"

namespace tidemill::ssm {

Task<void> tell_bus(store::Transaction& txn, const Parameter& parameter, std::string_view operation, base::Time now) {
  const ParameterAddress& address = parameter.address;
  co_await engine::tell_default_bus(txn, address.account, address.region, now, [&] {
    base::json::Object detail{{"operation", operation}, {"name", address.name}, {"type", parameter.type}};
    if (parameter.description) detail.set("description", *parameter.description);
    return engine::BusEvent{.source = "aws.ssm",
                            .detail_type = "Parameter Store Change",
                            .resource = address.arn(),
                            .detail = base::json::write(std::move(detail))};
  });
}

}  // namespace tidemill::ssm
