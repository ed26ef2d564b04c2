// DescribePipe and ListPipes.
#include <map>

#include "services/pipes/errors.h"
#include "services/pipes/operations.h"
#include "store/pages.h"

namespace tidemill::pipes {
namespace {

constexpr int32_t kPageMax = 100;  // unless a request asks for less

constexpr std::string_view kUserInitiated = "USER_INITIATED";

std::string reason_of(const FedPipe& fed) {
  return fed.pipe.failed_state.empty() ? std::string(kUserInitiated) : fed.pipe.failure;
}

shapes::Pipe summary_of(const FedPipe& fed) {
  shapes::Pipe summary{.name = fed.pipe.address.name,
                       .arn = fed.pipe.address.arn(),
                       .desired_state = fed.desired_state(),
                       .current_state = std::string(fed.state()),
                       .state_reason = reason_of(fed),
                       .creation_time = fed.pipe.created,
                       .last_modified_time = fed.pipe.modified,
                       .source = fed.pipe.settings.source,
                       .target = fed.pipe.settings.target};
  summary.enrichment = fed.pipe.settings.enrichment;
  return summary;
}

bool is_wanted(const FedPipe& fed, const shapes::ListPipesInput& request) {
  const auto& settings = fed.pipe.settings;
  return (!request.desired_state || fed.desired_state() == *request.desired_state) &&
         (!request.current_state || fed.state() == *request.current_state) &&
         (!request.source_prefix || settings.source.starts_with(*request.source_prefix)) &&
         (!request.target_prefix || settings.target.starts_with(*request.target_prefix));
}

// By their UUIDs: a page of pipes asks for each.
Task<std::map<std::string, engine::Mapping>> mappings_of(store::Snapshot& snapshot, std::string account) {
  std::map<std::string, engine::Mapping> mappings;
  co_await snapshot.scan(engine::all_mappings(), store::Direction::forward,
                         [&](std::string_view, std::string_view bytes) {
                           auto mapping = engine::decode_mapping(bytes);
                           if (mapping && mapping->account == account && engine::goes_to_pipe(*mapping)) {
                             mappings.emplace(mapping->uuid, *std::move(mapping));
                           }
                           return true;
                         });
  co_return mappings;
}

}  // namespace

Task<shapes::DescribePipeOutput> describe_pipe(Service& service, wire::Context& context,
                                               const shapes::DescribePipeInput& request) {
  const FedPipe fed = co_await load_pipe(*service.store().snapshot(), address_of(context, request.name));
  const shapes::CreatePipeInput& settings = fed.pipe.settings;
  shapes::DescribePipeOutput out{.arn = fed.pipe.address.arn(),
                                 .name = fed.pipe.address.name,
                                 .description = settings.description,
                                 .desired_state = fed.desired_state(),
                                 .current_state = std::string(fed.state()),
                                 .state_reason = reason_of(fed),
                                 .source = settings.source,
                                 .source_parameters = settings.source_parameters,
                                 .enrichment = settings.enrichment,
                                 .enrichment_parameters = settings.enrichment_parameters,
                                 .target = settings.target,
                                 .target_parameters = settings.target_parameters,
                                 .role_arn = settings.role_arn,
                                 .tags = settings.tags,
                                 .creation_time = fed.pipe.created,
                                 .last_modified_time = fed.pipe.modified};
  out.log_configuration = settings.log_configuration;
  co_return out;
}

Task<shapes::ListPipesOutput> list_pipes(Service& service, wire::Context& context,
                                         const shapes::ListPipesInput& request) {
  const auto snapshot = service.store().snapshot();
  const auto mappings = co_await mappings_of(*snapshot, context.account);
  shapes::ListPipesOutput out;
  out.pipes.emplace();
  const auto take = [&](std::string_view key, std::string_view value) {
    PipeAddress address = pipe_of_key(key);
    if (request.name_prefix && !address.name.starts_with(*request.name_prefix)) return false;
    FedPipe fed{.pipe = decode_pipe(std::move(address), value), .mapping = {}};
    const auto mapping = mappings.find(fed.pipe.mapping_uuid);
    if (mapping == mappings.end()) return false;
    fed.mapping = mapping->second;
    if (!is_wanted(fed, request)) return false;
    out.pipes->push_back(summary_of(fed));
    return true;
  };
  try {
    out.next_token = co_await store::read_page(*snapshot, pipes_range(context.account, context.region),
                                               {request.next_token, static_cast<size_t>(request.limit.value_or(kPageMax))},
                                               take);
  } catch (const store::NotAPageToken&) {
    throw invalid("NextToken", "The token is not valid.");
  }
  co_return out;
}

}  // namespace tidemill::pipes
