// Every operation of EventBridge Pipes, each in the file of its name or family. Shapes: models/pipes.smithy;
// docs/pipes.md says what works.
#pragma once

#include "base/task.h"
#include "services/pipes/service.h"
#include "wire/context.h"
#include "wire/shapes/pipes.h"

namespace tidemill::pipes {

Task<shapes::CreatePipeOutput> create_pipe(Service&, wire::Context&, const shapes::CreatePipeInput&);
Task<shapes::DescribePipeOutput> describe_pipe(Service&, wire::Context&, const shapes::DescribePipeInput&);
Task<shapes::UpdatePipeOutput> update_pipe(Service&, wire::Context&, const shapes::UpdatePipeInput&);
Task<shapes::DeletePipeOutput> delete_pipe(Service&, wire::Context&, const shapes::DeletePipeInput&);
Task<shapes::ListPipesOutput> list_pipes(Service&, wire::Context&, const shapes::ListPipesInput&);
Task<shapes::StartPipeOutput> start_pipe(Service&, wire::Context&, const shapes::StartPipeInput&);
Task<shapes::StopPipeOutput> stop_pipe(Service&, wire::Context&, const shapes::StopPipeInput&);

Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

}  // namespace tidemill::pipes
