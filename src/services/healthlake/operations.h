// Every operation of HealthLake and every interaction of its data stores, each in the file of its family. Shapes:
// models/healthlake.smithy and models/healthlakefhir.smithy; docs/healthlake.md says what works.
#pragma once

#include "base/task.h"
#include "services/healthlake/service.h"
#include "wire/context.h"
#include "wire/shapes/healthlake.h"
#include "wire/shapes/healthlakefhir.h"

namespace tidemill::healthlake {

namespace shapes = wire::healthlake;
namespace rest = wire::healthlakefhir;

// Data stores (datastores.cc).
Task<shapes::DatastoreAnswer> create_datastore(Service&, wire::Context&, const shapes::CreateFHIRDatastoreInput&);
Task<shapes::DescribeFHIRDatastoreOutput> describe_datastore(Service&, wire::Context&,
                                                             const shapes::DescribeFHIRDatastoreInput&);
Task<shapes::ListFHIRDatastoresOutput> list_datastores(Service&, wire::Context&,
                                                       const shapes::ListFHIRDatastoresInput&);
Task<shapes::DatastoreAnswer> delete_datastore(Service&, wire::Context&, const shapes::DeleteFHIRDatastoreInput&);

// Their tags (tags.cc).
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

// Export jobs (exports.cc), and the same as FHIR's clients ask for them (export_interactions.cc).
Task<shapes::StartFHIRExportJobOutput> start_export_job(Service&, wire::Context&,
                                                        const shapes::StartFHIRExportJobInput&);
Task<shapes::DescribeFHIRExportJobOutput> describe_export_job(Service&, wire::Context&,
                                                              const shapes::DescribeFHIRExportJobInput&);
Task<shapes::ListFHIRExportJobsOutput> list_export_jobs(Service&, wire::Context&,
                                                        const shapes::ListFHIRExportJobsInput&);
Task<rest::FhirAnswer> fhir_export(Service&, wire::Context&, const rest::FhirExportInput&);
Task<rest::FhirAnswer> fhir_describe_export(Service&, wire::Context&, const rest::FhirDescribeExportInput&);
Task<rest::FhirAnswer> fhir_cancel_export(Service&, wire::Context&, const rest::FhirCancelExportInput&);

// Single resources (interactions.cc, history.cc).
Task<rest::FhirAnswer> fhir_create(Service&, wire::Context&, const rest::FhirCreateInput&);
Task<rest::FhirAnswer> fhir_read(Service&, wire::Context&, const rest::FhirReadInput&);
Task<rest::FhirAnswer> fhir_version_read(Service&, wire::Context&, const rest::FhirVersionReadInput&);
Task<rest::FhirAnswer> fhir_update(Service&, wire::Context&, const rest::FhirUpdateInput&);
Task<rest::FhirDeleteOutput> fhir_delete(Service&, wire::Context&, const rest::FhirDeleteInput&);
Task<rest::FhirAnswer> fhir_history(Service&, wire::Context&, const rest::FhirHistoryInput&);

// Many of them (search_interactions.cc, bundle.cc), and what there is (capabilities.cc).
Task<rest::FhirAnswer> fhir_search(Service&, wire::Context&, const rest::FhirSearchInput&);
Task<rest::FhirAnswer> fhir_search_by_post(Service&, wire::Context&, const rest::FhirSearchByPostInput&);
Task<rest::FhirAnswer> fhir_bundle(Service&, wire::Context&, const rest::FhirBundleInput&);
Task<rest::FhirAnswer> fhir_capabilities(Service&, wire::Context&, const rest::FhirCapabilitiesInput&);

}  // namespace tidemill::healthlake
