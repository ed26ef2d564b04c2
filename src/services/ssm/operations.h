// Every operation of the parameter store, each in the file of its family. Shapes: models/ssm.smithy; docs/ssm.md says
// what works.
#pragma once

#include "base/task.h"
#include "services/ssm/service.h"
#include "wire/context.h"
#include "wire/shapes/ssm.h"

namespace tidemill::ssm {

namespace shapes = wire::ssm;

Task<shapes::PutParameterOutput> put_parameter(Service&, wire::Context&, const shapes::PutParameterInput&);
Task<shapes::GetParameterOutput> get_parameter(Service&, wire::Context&, const shapes::GetParameterInput&);
Task<shapes::GetParametersOutput> get_parameters(Service&, wire::Context&, const shapes::GetParametersInput&);
Task<shapes::GetParametersByPathOutput> get_parameters_by_path(Service&, wire::Context&,
                                                               const shapes::GetParametersByPathInput&);
Task<shapes::GetParameterHistoryOutput> get_parameter_history(Service&, wire::Context&,
                                                              const shapes::GetParameterHistoryInput&);
Task<shapes::DescribeParametersOutput> describe_parameters(Service&, wire::Context&,
                                                           const shapes::DescribeParametersInput&);
Task<shapes::DeleteParameterOutput> delete_parameter(Service&, wire::Context&, const shapes::DeleteParameterInput&);
Task<shapes::DeleteParametersOutput> delete_parameters(Service&, wire::Context&, const shapes::DeleteParametersInput&);
Task<shapes::LabelParameterVersionOutput> label_parameter_version(Service&, wire::Context&,
                                                                  const shapes::LabelParameterVersionInput&);
Task<shapes::UnlabelParameterVersionOutput> unlabel_parameter_version(Service&, wire::Context&,
                                                                      const shapes::UnlabelParameterVersionInput&);
Task<shapes::AddTagsToResourceOutput> add_tags_to_resource(Service&, wire::Context&,
                                                           const shapes::AddTagsToResourceInput&);
Task<shapes::RemoveTagsFromResourceOutput> remove_tags_from_resource(Service&, wire::Context&,
                                                                     const shapes::RemoveTagsFromResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

}  // namespace tidemill::ssm
