#include "services/pipes/pipe.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/text.h"
#include "services/pipes/errors.h"
#include "store/resources.h"
#include "wire/arn.h"
#include "wire/registry.h"

namespace tidemill::pipes {
namespace {

namespace json = base::json;
namespace states = shapes::PipeState;
using engine::MappingState;

constexpr store::ResourceType kPipes{"pipes", "pipe"};
constexpr std::string_view kResourceStart = "pipe/";

// In the API's own JSON, which DescribePipe answers and CreatePipe reads.
std::string document_of(const shapes::CreatePipeInput& settings) {
  wire::WireResponse out;
  shapes::DescribePipeOutput described{.description = settings.description,
                                       .desired_state = settings.desired_state,
                                       .source = settings.source,
                                       .source_parameters = settings.source_parameters,
                                       .enrichment = settings.enrichment,
                                       .enrichment_parameters = settings.enrichment_parameters,
                                       .target = settings.target,
                                       .target_parameters = settings.target_parameters,
                                       .role_arn = settings.role_arn,
                                       .tags = settings.tags};
  described.log_configuration = settings.log_configuration;
  shapes::ops::DescribePipe::serialize(described, out);
  return std::move(out.body);
}

std::optional<shapes::CreatePipeInput> settings_of(const std::string& document) {
  return shapes::ops::CreatePipe::parse(wire::WireRequest{.body = document});
}

constexpr auto kPipeMembers = [](auto& member, auto& pipe) {
  member("created_us", pipe.created);
  member("modified_us", pipe.modified);
  member("mapping", pipe.mapping_uuid);
  const bool has_failed = !pipe.failed_state.empty();
  member.when(has_failed, "failed_state", pipe.failed_state);
  member.when(has_failed, "failure", pipe.failure);
  member.as("settings", pipe.settings, document_of, settings_of);
};

std::string_view state_of(MappingState state) {
  switch (state) {
    case MappingState::creating:
      return states::kCreating;
    case MappingState::enabling:
      return states::kStarting;
    case MappingState::enabled:
      return states::kRunning;
    case MappingState::disabling:
      return states::kStopping;
    case MappingState::disabled:
      return states::kStopped;
    case MappingState::updating:
      return states::kUpdating;
    case MappingState::deleting:
      return states::kDeleting;
  }
  return states::kStopped;
}

}  // namespace

std::string PipeAddress::arn() const {
  const std::string resource = base::cat(kResourceStart, name);
  return wire::Arn{.service = "pipes", .region = region, .account = account, .resource = resource}.text();
}

std::optional<PipeAddress> parse_pipe_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("pipes", text);
  if (!arn || !arn->resource.starts_with(kResourceStart)) return std::nullopt;
  return PipeAddress{std::string(arn->account), std::string(arn->region),
                     std::string(arn->resource.substr(kResourceStart.size()))};
}

PipeAddress address_of(const wire::Context& context, std::string name) {
  return {context.account, context.region, std::move(name)};
}

wire::Principal principal_of(const Pipe& pipe) {
  return wire::Principal::role({.role_arn = pipe.settings.role_arn,
                                .session_name = pipe.address.name,
                                .service = "pipes.amazonaws.com",
                                .source_arn = pipe.address.arn()});
}

std::string pipe_key(const PipeAddress& address) {
  return store::resource_key(kPipes, address.account, address.region, address.name);
}

store::Range pipes_range(std::string_view account, std::string_view region) {
  return store::resources_range(kPipes, account, region);
}

PipeAddress pipe_of_key(std::string_view key) {
  auto found = store::resource_of_key(kPipes, key);
  if (!found) throw std::runtime_error("a pipe's key is damaged");
  return {std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string encode_pipe(const Pipe& pipe) { return json::encode(pipe, kPipeMembers); }

Pipe decode_pipe(PipeAddress address, std::string_view bytes) {
  Pipe pipe = json::decode("pipe", bytes, kPipeMembers, Pipe{.address = std::move(address)});
  pipe.settings.name = pipe.address.name;
  return pipe;
}

std::string_view FedPipe::state() const {
  if (mapping.state == MappingState::deleting) return states::kDeleting;
  return pipe.failed_state.empty() ? state_of(mapping.state) : pipe.failed_state;
}

std::string FedPipe::desired_state() const {
  if (mapping.state == MappingState::deleting) return "DELETED";
  return pipe.settings.desired_state.value_or(std::string(shapes::RequestedPipeState::kRunning));
}

bool FedPipe::is_settled() const {
  const std::string_view now = state();
  return now == states::kRunning || now == states::kStopped || now == states::kStartFailed;
}

Task<std::optional<FedPipe>> find_pipe(store::Snapshot& reader, PipeAddress address) {
  const auto bytes = co_await reader.get(pipe_key(address));
  if (!bytes) co_return std::nullopt;
  FedPipe fed{.pipe = decode_pipe(std::move(address), *bytes), .mapping = {}};
  const auto mapping = co_await reader.get(engine::mapping_key(fed.pipe.mapping_uuid));
  auto decoded = mapping ? engine::decode_mapping(*mapping) : std::nullopt;
  if (!decoded) throw std::runtime_error("the mapping of a pipe is damaged");
  fed.mapping = *std::move(decoded);
  co_return fed;
}

Task<FedPipe> load_pipe(store::Snapshot& reader, PipeAddress address) {
  const std::string name = address.name;
  auto found = co_await find_pipe(reader, std::move(address));
  if (!found) throw no_pipe(name);
  co_return *std::move(found);
}

void save_pipe(store::Transaction& txn, const FedPipe& fed) {
  txn.put(pipe_key(fed.pipe.address), encode_pipe(fed.pipe));
  txn.put(engine::mapping_key(fed.mapping.uuid), engine::encode_mapping(fed.mapping));
  txn.signal(engine::kMappingsTopic);
}

}  // namespace tidemill::pipes
