// Every integration of the platform, as the engine calls them.
#pragma once

#include <memory>
#include <string>

#include "engine/targets/connection.h"
#include "engine/targets/http_target.h"
#include "services/states/tasks/task.h"
#include "wire/context.h"

namespace tidemill::states::tasks {

struct IntegrationsOptions {
  engine::HttpSend send;                   // carries the requests of HTTP tasks
  engine::FindConnection find_connection;  // for them
  std::string endpoint;                    // where clients reach this server, for URLs in answers
};

// `platform` outlives what is returned.
[[nodiscard]] std::unique_ptr<Caller> make_integrations(wire::Platform& platform, IntegrationsOptions options);

}  // namespace tidemill::states::tasks
