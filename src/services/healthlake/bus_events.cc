#include "services/healthlake/bus_events.h"

#include "base/text.h"
#include "engine/targets/bus_target.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr std::string_view kCancellation = "CANCEL_";

// "In Progress" of "IN_PROGRESS".
std::string titled(std::string_view status) {
  std::string title;
  bool begins_word = true;
  for (const char letter : status) {
    const bool is_letter = letter >= 'A' && letter <= 'Z';
    title.push_back(letter == '_' ? ' ' : static_cast<char>(is_letter && !begins_word ? letter - 'A' + 'a' : letter));
    begins_word = letter == '_';
  }
  return title;
}

// What was asked for: without the folder that the job makes there.
std::string asked_uri(const ExportJob& job) {
  return job.s3_uri.substr(0, job.s3_uri.rfind('/', job.s3_uri.size() - 2) + 1);
}

}  // namespace

Task<void> tell_bus(store::Transaction& txn, const Datastore& datastore, base::Time now) {
  const DatastoreAddress& address = datastore.address;
  co_await engine::tell_default_bus(txn, address.account, address.region, now, [&] {
    base::json::Object detail{{"datastoreId", address.id}};
    if (!datastore.name.empty()) detail.set("datastoreName", datastore.name);
    detail.set("datastoreTypeVersion", std::string(wire::healthlake::FHIRVersion::kR4));
    if (!datastore.endpoint.empty()) detail.set("datastoreEndpoint", datastore.endpoint);
    return engine::BusEvent{.source = "aws.healthlake",
                            .detail_type = cat("Data Store ", titled(datastore.status)),
                            .resource = address.arn(),
                            .detail = base::json::write(std::move(detail))};
  });
}

Task<void> tell_bus(store::Transaction& txn, const DatastoreAddress& datastore, const ExportJob& job, base::Time now) {
  if (job.status.starts_with(kCancellation)) co_return;
  co_await engine::tell_default_bus(txn, datastore.account, datastore.region, now, [&] {
    return engine::BusEvent{.source = "aws.healthlake",
                            .detail_type = cat("Export Job ", titled(job.status)),
                            .resource = datastore.arn(),
                            .detail = base::json::write(base::json::Object{
                                {"jobId", job.id},
                                {"submitTime", cat(base::iso_milliseconds(job.submitted), "Z")},
                                {"datastoreId", datastore.id},
                                {"outputDataConfig", base::json::Object{{"s3Uri", asked_uri(job)}}}})};
  });
}

}  // namespace tidemill::healthlake
