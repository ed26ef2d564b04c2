// $export: the same jobs as FHIR's clients start, look at and cancel them, in HealthLake's form.
#include "base/text.h"
#include "lang/fhir/resource_types.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/export_job.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/resource_body.h"
#include "wire/timestamp.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr int kAccepted = 202;
constexpr std::string_view kFormats[] = {"ndjson", "application/ndjson", "application/fhir+ndjson",
                                         "application/fhir ndjson"};  // a '+' that was not escaped

void read_types(const std::string& list, std::vector<std::string>& types) {
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view type = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), type.size() + 1));
    if (!lang::fhir::is_resource_type(type)) throw fhir::invalid(cat("_type names no resource type: ", type));
    if (std::ranges::find(types, type) == types.end()) types.emplace_back(type);
  }
}

void read_parameters(const lang::fhir::Parameters& parameters, ExportOrder& order) {
  for (const auto& [name, values] : parameters) {
    const std::string& value = values.back();
    if (name == "_since") {
      const auto since = lang::fhir::parse_time(value);
      if (!since) throw fhir::invalid(cat("_since is no instant: ", value));
      // Resources know milliseconds: what came within that of the instant is in the export.
      order.since = std::chrono::floor<std::chrono::milliseconds>(since->begin);
    } else if (name == "_type") {
      for (const std::string& list : values) read_types(list, order.types);
      if (order.types.empty()) throw fhir::invalid("_type names no resource type");
    } else if (name == "_outputFormat") {
      if (std::ranges::find(kFormats, value) == std::end(kFormats)) {
        throw fhir::not_supported(cat("_outputFormat=", value));
      }
    } else {
      throw fhir::not_supported(cat("the parameter ", name, " of $export"));
    }
  }
}

// A member of the body, checked as the native API checks it.
std::string text_of(const json::Value& body, std::string_view name) {
  const json::Value* found = body.find(name);
  if (!found || !found->is_string()) throw fhir::invalid(cat("The body of $export has no ", name));
  return found->string();
}

// By the native operation's own constraints.
void check_order(const std::string& datastore_id, const ExportOrder& order) {
  shapes::StartFHIRExportJobInput input{.datastore_id = datastore_id, .data_access_role_arn = order.role};
  input.output_data_config.s3_configuration =
      shapes::S3Configuration{.s3_uri = order.s3_uri, .kms_key_id = order.kms_key};
  if (!order.name.empty()) input.job_name = order.name;
  if (!order.token.empty()) input.client_token = order.token;
  try {
    shapes::ops::StartFHIRExportJob::validate(input);
  } catch (const wire::Error& error) {
    throw fhir::of_native(error);
  }
}

ExportOrder order_of(const rest::FhirExportInput& request) {
  const json::Value body = parse_body(request.body, std::nullopt);
  for (const auto& [name, value] : body.is_object() ? body.object() : json::Object()) {
    if (name != "JobName" && name != "OutputDataConfig" && name != "DataAccessRoleArn" && name != "ClientToken") {
      throw fhir::not_supported(cat("the member ", name, " in the body of $export"));
    }
  }
  ExportOrder order;
  if (body.find("JobName")) order.name = text_of(body, "JobName");
  if (body.find("ClientToken")) order.token = text_of(body, "ClientToken");
  order.role = text_of(body, "DataAccessRoleArn");
  const json::Value* output = body.find("OutputDataConfig");
  const json::Value* s3 = output ? output->find("S3Configuration") : nullptr;
  if (!s3) throw fhir::invalid("The body of $export has no OutputDataConfig.S3Configuration");
  order.s3_uri = text_of(*s3, "S3Uri");
  order.kms_key = text_of(*s3, "KmsKeyId");
  if (request.parameters) read_parameters(*request.parameters, order);
  check_order(request.datastore_id, order);
  return order;
}

std::string write_state(const std::string& datastore_id, const ExportJob& job) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "datastoreId", datastore_id);
  json::write_member(writer, "jobStatus", job.status);
  json::write_member(writer, "jobId", job.id);
  writer.end_object();
  return out;
}

void write_time(json::Writer& writer, std::string_view name, base::Time time) {
  writer.key(name);
  writer.raw(wire::format_timestamp(time, wire::TimestampFormat::epoch_seconds));
}

void write_properties(json::Writer& writer, const std::string& datastore_id, const ExportJob& job) {
  writer.begin_object();
  json::write_member(writer, "jobId", job.id);
  if (!job.name.empty()) json::write_member(writer, "jobName", job.name);
  json::write_member(writer, "jobStatus", job.status);
  write_time(writer, "submitTime", job.submitted);
  if (job.ended) write_time(writer, "endTime", *job.ended);
  json::write_member(writer, "datastoreId", datastore_id);
  writer.key("outputDataConfig");
  writer.begin_object();
  writer.key("s3Configuration");
  writer.begin_object();
  json::write_member(writer, "s3Uri", job.s3_uri);
  json::write_member(writer, "kmsKeyId", job.kms_key);
  writer.end_object();
  writer.end_object();
  json::write_member(writer, "dataAccessRoleArn", job.role);
  if (!job.message.empty()) json::write_member(writer, "message", job.message);
  writer.end_object();
}

std::string write_job(const std::string& datastore_id, const ExportJob& job, const std::vector<ExportFile>& files) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("exportJobProperties");
  write_properties(writer, datastore_id, job);
  writer.key("output");
  writer.begin_array();
  for (const ExportFile& file : files) {
    writer.begin_object();
    json::write_member(writer, "type", file.type);
    json::write_member(writer, "url", file.url);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return out;
}

}  // namespace

Task<rest::FhirAnswer> fhir_export(Service& service, wire::Context& context, const rest::FhirExportInput& request) {
  (void)co_await active_datastore(*service.store().snapshot(), context, request.datastore_id);
  const ExportOrder order = order_of(request);
  const DatastoreAddress address{context.account, context.region, request.datastore_id};
  rest::FhirAnswer out;
  try {
    const ExportJob job = co_await submit_export(service.store(), address, order, context.now());
    out.status = kAccepted;
    out.content_location = cat(base_url(context, request.datastore_id), "/export/", job.id);
    out.body = write_state(request.datastore_id, job);
  } catch (const wire::Error& error) {
    throw fhir::of_native(error);
  }
  co_return out;
}

Task<rest::FhirAnswer> fhir_describe_export(Service& service, wire::Context& context,
                                            const rest::FhirDescribeExportInput& request) {
  const auto snapshot = service.store().snapshot();
  (void)co_await active_datastore(*snapshot, context, request.datastore_id);
  const auto job = co_await find_job(*snapshot, request.datastore_id, request.job_id);
  if (!job) throw fhir::not_found(cat("export job ", request.job_id));
  std::vector<ExportFile> files;
  if (job->status == JobStatus::kCompleted) files = co_await read_files(*snapshot, request.datastore_id, job->id);
  rest::FhirAnswer out;
  if (!job->has_ended()) out.status = kAccepted;
  out.body = write_job(request.datastore_id, *job, files);
  co_return out;
}

Task<rest::FhirAnswer> fhir_cancel_export(Service& service, wire::Context& context,
                                          const rest::FhirCancelExportInput& request) {
  (void)co_await active_datastore(*service.store().snapshot(), context, request.datastore_id);
  const DatastoreAddress address{context.account, context.region, request.datastore_id};
  rest::FhirAnswer out;
  try {
    const ExportJob job = co_await cancel_export(service.store(), address, request.job_id, context.now());
    out.status = kAccepted;
    out.body = write_state(request.datastore_id, job);
  } catch (const wire::Error& error) {
    throw fhir::of_native(error);
  }
  co_return out;
}

}  // namespace tidemill::healthlake
