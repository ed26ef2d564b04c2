// StartFHIRExportJob, DescribeFHIRExportJob and ListFHIRExportJobs.
#include "services/healthlake/errors.h"
#include "services/healthlake/export_job.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/page.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

namespace {

shapes::ExportJobProperties properties_of(const std::string& datastore_id, const ExportJob& job) {
  shapes::ExportJobProperties out{
      .job_id = job.id, .job_status = job.status, .submit_time = job.submitted, .datastore_id = datastore_id};
  if (!job.name.empty()) out.job_name = job.name;
  out.end_time = job.ended;
  out.output_data_config.s3_configuration = shapes::S3Configuration{.s3_uri = job.s3_uri, .kms_key_id = job.kms_key};
  out.data_access_role_arn = job.role;
  if (!job.message.empty()) out.message = job.message;
  return out;
}

// Those of a data store that is there.
Task<void> require_jobs(store::Snapshot& reader, const DatastoreAddress& address) {
  const Datastore datastore = co_await load_datastore(reader, address);
  if (datastore.status == shapes::DatastoreStatus::kDeleted) throw no_datastore(address.id);
}

bool is_wanted(const shapes::ListFHIRExportJobsInput& request, const ExportJob& job) {
  if (request.job_name && *request.job_name != job.name) return false;
  if (request.job_status && *request.job_status != job.status) return false;
  if (request.submitted_before && job.submitted >= *request.submitted_before) return false;
  return !request.submitted_after || job.submitted > *request.submitted_after;
}

}  // namespace

Task<shapes::StartFHIRExportJobOutput> start_export_job(Service& service, wire::Context& context,
                                                        const shapes::StartFHIRExportJobInput& request) {
  if (!request.output_data_config.s3_configuration) throw invalid("OutputDataConfig has no S3Configuration.");
  const ExportOrder order{.name = request.job_name.value_or(""),
                          .s3_uri = request.output_data_config.s3_configuration->s3_uri,
                          .kms_key = request.output_data_config.s3_configuration->kms_key_id,
                          .role = request.data_access_role_arn,
                          .token = request.client_token.value_or("")};
  const DatastoreAddress address{context.account, context.region, request.datastore_id};
  const ExportJob job = co_await submit_export(service.store(), address, order, context.now());
  co_return shapes::StartFHIRExportJobOutput{
      .job_id = job.id, .job_status = job.status, .datastore_id = request.datastore_id};
}

Task<shapes::DescribeFHIRExportJobOutput> describe_export_job(Service& service, wire::Context& context,
                                                              const shapes::DescribeFHIRExportJobInput& request) {
  const auto snapshot = service.store().snapshot();
  co_await require_jobs(*snapshot, {context.account, context.region, request.datastore_id});
  const auto job = co_await find_job(*snapshot, request.datastore_id, request.job_id);
  if (!job) throw no_job(request.job_id);
  co_return shapes::DescribeFHIRExportJobOutput{.export_job_properties = properties_of(request.datastore_id, *job)};
}

Task<shapes::ListFHIRExportJobsOutput> list_export_jobs(Service& service, wire::Context& context,
                                                        const shapes::ListFHIRExportJobsInput& request) {
  const auto snapshot = service.store().snapshot();
  co_await require_jobs(*snapshot, {context.account, context.region, request.datastore_id});
  const DatastoreKeys keys(request.datastore_id);
  shapes::ListFHIRExportJobsOutput out;
  const auto take = [&](std::string_view key, std::string_view value) {
    const ExportJob job = decode_job(keys.id_of_job(key), value);
    if (!is_wanted(request, job)) return false;
    out.export_job_properties_list.push_back(properties_of(request.datastore_id, job));
    return true;
  };
  out.next_token =
      co_await read_page(*snapshot, keys.jobs(), request.next_token, request.max_results.value_or(kListMax), take);
  co_return out;
}

}  // namespace tidemill::healthlake
