#include "services/healthlake/service.h"

#include "services/healthlake/datastore_run.h"
#include "services/healthlake/operations.h"

namespace tidemill::healthlake {

void Service::register_operations(wire::Registry& registry) {
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(shapes::ops::CreateFHIRDatastore{}, create_datastore);
  add(shapes::ops::DescribeFHIRDatastore{}, describe_datastore);
  add(shapes::ops::ListFHIRDatastores{}, list_datastores);
  add(shapes::ops::DeleteFHIRDatastore{}, delete_datastore);
  add(shapes::ops::StartFHIRExportJob{}, start_export_job);
  add(shapes::ops::DescribeFHIRExportJob{}, describe_export_job);
  add(shapes::ops::ListFHIRExportJobs{}, list_export_jobs);
  add(shapes::ops::TagResource{}, tag_resource);
  add(shapes::ops::UntagResource{}, untag_resource);
  add(shapes::ops::ListTagsForResource{}, list_tags_for_resource);
  registry.refuse(shapes::refused_operations());

  add(rest::ops::FhirCapabilities{}, fhir_capabilities);
  add(rest::ops::FhirCreate{}, fhir_create);
  add(rest::ops::FhirRead{}, fhir_read);
  add(rest::ops::FhirVersionRead{}, fhir_version_read);
  add(rest::ops::FhirUpdate{}, fhir_update);
  add(rest::ops::FhirDelete{}, fhir_delete);
  add(rest::ops::FhirHistory{}, fhir_history);
  add(rest::ops::FhirSearch{}, fhir_search);
  add(rest::ops::FhirSearchByPost{}, fhir_search_by_post);
  add(rest::ops::FhirBundle{}, fhir_bundle);
  add(rest::ops::FhirExport{}, fhir_export);
  add(rest::ops::FhirDescribeExport{}, fhir_describe_export);
  add(rest::ops::FhirCancelExport{}, fhir_cancel_export);
  registry.refuse(rest::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) {
  timers.handle({kDatastoreTimer}, [this](const store::Timer& timer) {
    return change_datastore(platform_.store, platform_.clock, timer);
  });
  timers.handle(
      {kExportTimer},
      [this, &timers](const store::Timer& timer) { return exports_.go_on(timer, timers.tenure({kExportTimer})); },
      {.concurrent_max = kExportsAtOnceMax});
}

}  // namespace tidemill::healthlake
