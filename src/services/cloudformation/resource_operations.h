// Every operation of the Cloud Control API. Shapes: models/cloudcontrol.smithy; docs/cloudcontrol.md says what works.
#pragma once

#include "base/task.h"
#include "services/cloudformation/service.h"
#include "wire/context.h"
#include "wire/shapes/cloudcontrol.h"

namespace tidemill::cloudformation {

namespace control = wire::cloudcontrol;

Task<control::CreateResourceOutput> create_resource(Service&, wire::Context&, const control::CreateResourceInput&);
Task<control::GetResourceOutput> get_resource(Service&, wire::Context&, const control::GetResourceInput&);
Task<control::UpdateResourceOutput> update_resource(Service&, wire::Context&, const control::UpdateResourceInput&);
Task<control::DeleteResourceOutput> delete_resource(Service&, wire::Context&, const control::DeleteResourceInput&);
Task<control::ListResourcesOutput> list_resources(Service&, wire::Context&, const control::ListResourcesInput&);
Task<control::GetResourceRequestStatusOutput> get_resource_request_status(Service&, wire::Context&,
                                                                          const control::GetResourceRequestStatusInput&);
Task<control::ListResourceRequestsOutput> list_resource_requests(Service&, wire::Context&,
                                                                 const control::ListResourceRequestsInput&);
Task<control::CancelResourceRequestOutput> cancel_resource_request(Service&, wire::Context&,
                                                                   const control::CancelResourceRequestInput&);

}  // namespace tidemill::cloudformation
