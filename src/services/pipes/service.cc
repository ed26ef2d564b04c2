#include "services/pipes/service.h"

#include <algorithm>

#include "services/pipes/operations.h"

namespace tidemill::pipes {
namespace {

template <class Source>
Source* owner_of(const std::vector<Source*>& sources, std::string_view arn) {
  const auto found = std::ranges::find_if(sources, [&](const Source* source) { return source->owns(arn); });
  return found == sources.end() ? nullptr : *found;
}

}  // namespace

Service::Service(wire::Platform& platform, std::vector<engine::StreamSource*> streams,
                 std::vector<engine::QueueSource*> queues, engine::Invoker& functions, engine::FunctionLogs* logs)
    : platform_(platform),
      streams_(std::move(streams)),
      queues_(std::move(queues)),
      invoker_(platform, functions, logs) {}

engine::StreamSource* Service::stream_of(std::string_view arn) const { return owner_of(streams_, arn); }
engine::QueueSource* Service::queue_of(std::string_view arn) const { return owner_of(queues_, arn); }

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreatePipe{}, create_pipe);
  add(ops::DescribePipe{}, describe_pipe);
  add(ops::UpdatePipe{}, update_pipe);
  add(ops::DeletePipe{}, delete_pipe);
  add(ops::ListPipes{}, list_pipes);
  add(ops::StartPipe{}, start_pipe);
  add(ops::StopPipe{}, stop_pipe);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
}

}  // namespace tidemill::pipes
