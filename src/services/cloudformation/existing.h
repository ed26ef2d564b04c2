// Imports that nobody has to tell one by one (ImportExistingResources): what a template would make anew, by a name of its
// own, and what stands there already in no stack.
//
//   The user guide, "Import AWS resources into a CloudFormation stack automatically": the name is the type's primary
//   identifier, static, the resource is to be kept (Retain, RetainExceptOnCreate), and it belongs to no other stack.
//   Types whose identifier only the service gives (queues, topics, state machines, keys) are made as without it.
#pragma once

#include "services/cloudformation/asked.h"
#include "services/cloudformation/resource.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// The physical ids of these, by their logical ids. `resources`: what the stack has. Asks the services as what the
// deployment will act. Throws TemplateRefused if one is in a stack, or the template does not say that it is to be kept, and
// where a service does not tell whether it is there.
Task<base::json::TextMap> find_existing(store::Snapshot& reader, const wire::Context& context, const Stack& stack,
                                        const Definition& definition, const Resources& resources);

}  // namespace tidemill::cloudformation
