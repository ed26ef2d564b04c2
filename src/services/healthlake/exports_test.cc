// Export jobs over the simulated store, with S3 beside it.
#include <random>

#include "services/healthlake/export_files.h"
#include "services/healthlake/testing.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::healthlake {
namespace {

using namespace std::chrono_literals;
using base::cat;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using testing::World;
namespace ops = shapes::ops;
namespace fhir_ops = rest::ops;
using Resources = std::multiset<std::string>;

std::string resource(std::string_view type, std::string_view id, std::string_view more = "") {
  return cat(R"({"resourceType":")", type, R"(","id":")", id, "\"", more, "}");
}

TEST(ExportTest, WritesOneLinePerResourceAndAManifest) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  (void)world.put(lake, resource("Patient", "p"));
  (void)world.put(lake, resource("Patient", "q"));
  (void)world.put(lake, resource("Practitioner", "d"));
  (void)world.put(lake, resource("Group", "gone"));
  world.remove(lake, "Group", "gone");

  const auto started = world.ask<fhir_ops::FhirExport>(World::export_of(lake));
  EXPECT_EQ(started.status, 202);
  const json::Value state = World::parse(started.body.value());
  EXPECT_EQ(state.find("jobStatus")->string(), "SUBMITTED");
  EXPECT_EQ(state.find("datastoreId")->string(), lake);
  const std::string id = state.find("jobId")->string();
  EXPECT_THAT(id, SizeIs(32));
  EXPECT_EQ(started.content_location, cat(World::kEndpoint, "/datastore/", lake, "/r4/export/", id));
  world.settle();

  const auto job = world.job(lake, id);
  EXPECT_EQ(job.job_status, "COMPLETED");
  EXPECT_EQ(job.job_name, "nightly");
  const std::string folder = cat("out/", lake, "-FHIR_EXPORT-", id, "/");
  EXPECT_EQ(job.output_data_config.s3_configuration->s3_uri, cat("s3://bucket/", folder));
  EXPECT_EQ(world.exported("bucket", id), (Resources{"Patient/p v1", "Patient/q v1", "Practitioner/d v1"}));
  std::vector<std::string> names;
  for (const auto& [key, body] : world.objects("bucket")) names.push_back(key.substr(folder.size()));
  EXPECT_THAT(names, ElementsAre(MatchesRegex("Patient/Patient-[0-9]+-1-0.ndjson"),
                                 MatchesRegex("Practitioner/Practitioner-[0-9]+-1-0.ndjson"), "manifest.json"));
  const json::Value manifest = World::parse(world.objects("bucket")[folder + "manifest.json"]);
  EXPECT_EQ(manifest.find("resourceCount")->to_int64(), 3);
  EXPECT_THAT(manifest.find("output")->array(), SizeIs(2));

  const auto shown = world.ask<fhir_ops::FhirDescribeExport>({.datastore_id = lake, .job_id = id});
  EXPECT_FALSE(shown.status);
  const json::Value described = World::parse(shown.body.value());
  EXPECT_EQ(described.find("exportJobProperties")->find("jobStatus")->string(), "COMPLETED");
  const auto& output = described.find("output")->array();
  ASSERT_THAT(output, SizeIs(2));
  EXPECT_EQ(output[0].find("type")->string(), "Patient");
  EXPECT_THAT(output[0].find("url")->string(), HasSubstr(cat("s3://bucket/", folder, "Patient/Patient-")));
}

TEST(ExportTest, TakesTypesAndWhatWasUpdatedSince) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  (void)world.put(lake, resource("Patient", "old"));
  (void)world.put(lake, resource("Patient", "changed"));
  (void)world.put(lake, resource("Patient", "deleted"));
  world.advance(1h);
  (void)world.put(lake, resource("Patient", "changed"));
  world.remove(lake, "Patient", "deleted");
  (void)world.put(lake, resource("Group", "g"));
  const auto exported = [&](lang::fhir::Parameters parameters) {
    const std::string id = world.start_export(lake, std::move(parameters));
    world.settle();
    return world.exported("bucket", id);
  };
  EXPECT_EQ(exported({{"_since", {"2026-03-14T01:00:00Z"}}}), (Resources{"Patient/changed v2", "Group/g v1"}));
  EXPECT_EQ(exported({{"_since", {"2026-03-14T01:00:00.001Z"}}}), Resources());
  EXPECT_EQ(exported({{"_type", {"Patient"}}}), (Resources{"Patient/old v1", "Patient/changed v2"}));
  EXPECT_EQ(exported({{"_type", {"Group,Practitioner"}}, {"_since", {"2026"}}}), (Resources{"Group/g v1"}));
}

TEST(ExportTest, RefusesWhatIsWrongWithARequest) {
  World world;
  const std::string lake = world.create_datastore();
  const auto refused = [&](lang::fhir::Parameters parameters) {
    return world.refusal<fhir_ops::FhirExport>(World::export_of(lake, std::move(parameters)));
  };
  EXPECT_EQ(refused({{"_since", {"lately"}}}), "invalid: _since is no instant: lately");
  EXPECT_EQ(refused({{"_type", {"Patient,Pat"}}}), "invalid: _type names no resource type: Pat");
  EXPECT_EQ(refused({{"_outputFormat", {"parquet"}}}),
            "not-supported: Tidemill does not support _outputFormat=parquet");
  EXPECT_EQ(refused({{"_typeFilter", {"x"}}}),
            "not-supported: Tidemill does not support the parameter _typeFilter of $export");
  EXPECT_THAT(world.refusal<fhir_ops::FhirExport>(World::export_of(lake, {}, "bucket")),
              HasSubstr("invalid: 1 validation error"));
  rest::FhirExportInput request{.datastore_id = lake};
  request.body = "{}";
  EXPECT_EQ(world.refusal<fhir_ops::FhirExport>(request), "invalid: The body of $export has no DataAccessRoleArn");
  EXPECT_EQ(world.refusal<fhir_ops::FhirDescribeExport>({.datastore_id = lake, .job_id = "x"}),
            "not-found: There is no export job x");
}

TEST(ExportTest, FailsWithTheReasonIfThereIsNoBucket) {
  World world;
  const std::string lake = world.create_datastore();
  const std::string id = world.start_export(lake);
  world.settle();
  const auto job = world.job(lake, id);
  EXPECT_EQ(job.job_status, "FAILED");
  EXPECT_THAT(job.message.value_or(""), HasSubstr("S3NoSuchBucket"));
  EXPECT_TRUE(job.end_time);
  world.create_bucket("bucket");
  const std::string next = world.start_export(lake);
  world.settle();
  EXPECT_EQ(world.job(lake, next).job_status, "COMPLETED");
}

// Writes down as whom objects are put.
class Watches : public wire::Authorizer {
 public:
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_request(const wire::Access& access) override {
    if (access.operation.name == "PutObject") putters.push_back(access.context.principal);
    return Task<void>::ready();
  }
  std::vector<wire::Principal> putters;
};

TEST(ExportTest, WritesUnderItsRole) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  (void)world.put(lake, resource("Patient", "p"));
  Watches watches;
  world.platform->authorizer = &watches;
  (void)world.start_export(lake);
  world.settle();
  ASSERT_THAT(watches.putters, SizeIs(2));  // a file and the manifest
  for (const wire::Principal& putter : watches.putters) {
    ASSERT_EQ(putter.kind(), wire::Principal::Kind::role);
    EXPECT_EQ(putter.standing()->role_arn, "arn:aws:iam::000000000000:role/lake");
    EXPECT_EQ(putter.standing()->service, "healthlake.amazonaws.com");
  }
}

TEST(ExportTest, RunsAloneUnlessOthersMayWait) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  const std::string first = world.start_export(lake);
  EXPECT_EQ(world.refusal<fhir_ops::FhirExport>(World::export_of(lake)),
            cat("throttled: The data store has an export job that runs: ", first, ". One runs at a time."));
  world.settle();
  EXPECT_EQ(world.job(lake, first).job_status, "COMPLETED");

  const std::string patient = world.create_datastore({{"tidemill:export", "queue"}});
  std::vector<std::string> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(world.start_export(patient));
  EXPECT_EQ(world.job(patient, jobs[1]).job_status, "QUEUED");
  EXPECT_EQ(world.ask<fhir_ops::FhirDescribeExport>({.datastore_id = patient, .job_id = jobs[2]}).status, 202);
  (void)world.put(patient, resource("Patient", "p"));
  world.settle();
  for (const std::string& id : jobs) EXPECT_EQ(world.job(patient, id).job_status, "COMPLETED");
  EXPECT_THAT(world.exported("bucket", jobs[2]), Contains("Patient/p v1"));  // as of when it began
}

TEST(ExportTest, IsCancelledWhereverItIs) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore({{"tidemill:export", "queue"}});
  (void)world.put(lake, resource("Patient", "p"));
  const std::string running = world.start_export(lake);
  const std::string waiting = world.start_export(lake);
  const std::string last = world.start_export(lake);
  const auto cancel = [&](const std::string& id) {
    return World::parse(world.ask<fhir_ops::FhirCancelExport>({.datastore_id = lake, .job_id = id}).body.value())
        .find("jobStatus")
        ->string();
  };
  EXPECT_EQ(cancel(waiting), "CANCEL_COMPLETED");
  EXPECT_EQ(cancel(running), "CANCEL_SUBMITTED");
  world.settle();
  EXPECT_EQ(world.job(lake, running).job_status, "CANCEL_COMPLETED");
  EXPECT_EQ(world.job(lake, last).job_status, "COMPLETED");
  EXPECT_THAT(world.exported("bucket", waiting), IsEmpty());
  EXPECT_THAT(world.refusal<fhir_ops::FhirCancelExport>({.datastore_id = lake, .job_id = last}),
              HasSubstr("conflict: Export job"));
  EXPECT_EQ(world.refusal<fhir_ops::FhirCancelExport>({.datastore_id = lake, .job_id = "x"}),
            "not-found: Export job x was not found.");
}

TEST(ExportTest, IsStartedByTheNativeApiOnceForAToken) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  (void)world.put(lake, resource("Patient", "p"));
  shapes::StartFHIRExportJobInput request{
      .datastore_id = lake, .data_access_role_arn = "arn:aws:iam::000000000000:role/lake", .client_token = "t"};
  request.output_data_config.s3_configuration = shapes::S3Configuration{.s3_uri = "s3://bucket", .kms_key_id = "k"};
  const auto first = world.ask<ops::StartFHIRExportJob>(request);
  EXPECT_EQ(first.job_status, "SUBMITTED");
  EXPECT_EQ(world.ask<ops::StartFHIRExportJob>(request).job_id, first.job_id);
  world.settle();
  EXPECT_EQ(world.exported("bucket", first.job_id), (Resources{"Patient/p v1"}));
  EXPECT_EQ(world.job(lake, first.job_id).output_data_config.s3_configuration->s3_uri,
            cat("s3://bucket/", lake, "-FHIR_EXPORT-", first.job_id, "/"));
  request.datastore_id = std::string(32, '0');
  EXPECT_THAT(world.refusal<ops::StartFHIRExportJob>(request), HasSubstr("ResourceNotFoundException"));
}

TEST(ExportTest, JobsAreListedInOrderWithFiltersAndPages) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  std::vector<std::string> jobs;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(world.start_export(lake));
    world.settle();
    world.advance(1min);
  }
  const auto listed = [&](shapes::ListFHIRExportJobsInput request) {
    request.datastore_id = lake;
    std::vector<std::string> ids;
    do {
      const auto page = world.ask<ops::ListFHIRExportJobs>(request);
      for (const auto& each : page.export_job_properties_list) ids.push_back(each.job_id);
      request.next_token = page.next_token;
    } while (request.next_token);
    return ids;
  };
  EXPECT_EQ(listed({}), jobs);
  EXPECT_EQ(listed({.max_results = 1}), jobs);
  EXPECT_THAT(listed({.job_status = "FAILED"}), IsEmpty());
  EXPECT_THAT(listed({.job_name = "nightly"}), SizeIs(3));
  EXPECT_THAT(listed({.submitted_after = world.job(lake, jobs[0]).submit_time}), ElementsAre(jobs[1], jobs[2]));
  EXPECT_THAT(listed({.submitted_before = world.job(lake, jobs[1]).submit_time}), ElementsAre(jobs[0]));
}

TEST(ExportTest, HoldsTheDataStoreUntilItHasEnded) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  (void)world.start_export(lake);
  EXPECT_THAT(world.refusal<ops::DeleteFHIRDatastore>({.datastore_id = lake}), HasSubstr("ConflictException"));
  world.settle();
  EXPECT_EQ(world.refusal<ops::DeleteFHIRDatastore>({.datastore_id = lake}), "");
}

TEST(ExportTest, SplitsWhatIsLargeIntoFiles) {
  World world;
  world.create_bucket("bucket");
  const std::string lake = world.create_datastore();
  const std::string text(1 << 20, 'x');
  constexpr int kCount = 20;
  for (int i = 0; i < kCount; ++i) {
    (void)world.put(lake, resource("Patient", cat("p", i), cat(R"(,"note":")", text, "\"")));
  }
  const std::string id = world.start_export(lake);
  world.settle();
  EXPECT_THAT(world.exported("bucket", id), SizeIs(kCount));
  int files = 0;
  for (const auto& [key, body] : world.objects("bucket")) {
    if (!key.ends_with(".ndjson")) continue;
    ++files;
    EXPECT_LE(body.size(), kExportFileBytes + (2 << 20));
  }
  EXPECT_EQ(files, 2);
}

// Writes while exports run, through crashes and conflicts. A pair of resources of two types is always written by one
// transaction. What must hold: a job has each resource once, and both of a pair in one version, since it is as of one
// moment, however many files it takes; and every change is in a job, if each asks for what came since the last was
// triggered: nothing falls between two.
class ExportSimulation {
 public:
  explicit ExportSimulation(uint64_t seed)
      : world_(seed, store::SimFaults(), {.export_file_bytes = 500}), random_(seed) {
    world_.create_bucket("bucket");
    lake_ = world_.create_datastore({{"tidemill:export", "queue"}});
    for (int i = 0; i < kPairs; ++i) (void)world_.ask<fhir_ops::FhirBundle>(write_of(i));
  }

  void run() {
    base::Time since{};
    for (int round = 0; round < kRounds; ++round) {
      const base::Time triggered = world_.clock.now();
      const std::string id = start(since);
      since = triggered;
      for (int step = 0; step < kSteps; ++step) disturb();
      finish(id);
    }
    finish(start(since));
    for (int i = 0; i < kPairs; ++i) {
      for (const std::string_view type : {"Group", "Patient"}) {
        const std::string newest = current(std::string(type), name(i));
        if (!newest.empty()) EXPECT_TRUE(seen_.contains(newest)) << newest << " is in no export";
      }
    }
  }

 private:
  static constexpr int kPairs = 15;
  static constexpr int kRounds = 4;
  static constexpr int kSteps = 12;

  static std::string name(int i) { return cat("r", i); }
  // A transaction that writes a pair, or deletes it.
  rest::FhirBundleInput write_of(int i, bool deletes = false) {
    std::string entries;
    for (const std::string_view type : {"Group", "Patient"}) {
      const std::string url = cat(type, "/", name(i));
      entries += entries.empty() ? "" : ",";
      entries += deletes ? cat(R"({"request":{"method":"DELETE","url":")", url, "\"}}")
                         : cat(R"({"request":{"method":"PUT","url":")", url, R"("},"resource":)",
                               resource(type, name(i)), "}");
    }
    return {.datastore_id = lake_,
            .body = cat(R"({"resourceType":"Bundle","type":"transaction","entry":[)", entries, "]}")};
  }

  std::string start(base::Time since) {
    return world_.start_export(lake_, {{"_since", {lang::fhir::write_instant(since)}}});
  }
  void finish(const std::string& id) {
    world_.settle();
    for (int i = 0; i < 20 && !is_done(id); ++i) world_.advance(1min);  // what failed is tried again
    EXPECT_EQ(world_.job(lake_, id).job_status, "COMPLETED");
    check(world_.exported("bucket", id));
  }
  bool is_done(const std::string& id) { return world_.job(lake_, id).job_status == "COMPLETED"; }

  void check(const Resources& found) {
    std::map<std::string, std::string> versions;  // of "Patient/r1"
    for (const std::string& each : found) {
      const size_t space = each.find(' ');
      const bool is_new = versions.emplace(each.substr(0, space), each.substr(space)).second;
      EXPECT_TRUE(is_new) << each << " is there twice";
      seen_.insert(each);
    }
    for (int i = 0; i < kPairs; ++i) {
      const auto group = versions.find("Group/" + name(i));
      const auto patient = versions.find("Patient/" + name(i));
      if (group == versions.end() || patient == versions.end()) continue;
      EXPECT_EQ(group->second, patient->second) << name(i) << " is of two moments";
    }
  }

  // "Patient/r1 v3" as it is now; "" if it is deleted.
  std::string current(const std::string& type, const std::string& id) {
    const rest::FhirReadInput request{.datastore_id = lake_, .resource_type = type, .resource_id = id};
    if (!world_.refusal<fhir_ops::FhirRead>(request).empty()) return "";
    const json::Value read = world_.read(lake_, type, id);
    return cat(type, "/", id, " v", read.find("meta")->find("versionId")->string());
  }

  // A write that commits while the export goes on, or never; some steps, a little time, and perhaps a crash.
  void disturb() {
    const int i = static_cast<int>(random_() % kPairs);
    world_.begin<fhir_ops::FhirBundle>(write_of(i, random_() % 4 == 0));
    for (uint64_t steps = random_() % 60; steps > 0 && world_.executor.run_one(); --steps) {
    }
    if (random_() % 6 == 0) world_.advance(std::chrono::milliseconds(random_() % 3));
    if (random_() % 5 == 0) world_.crash();
  }

  World world_;
  std::mt19937_64 random_;
  std::string lake_;
  Resources seen_;
};

TEST(ExportSimulations, NoChangeFallsBetweenTwoExportsThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ExportSimulation(seed).run();
  }
}

}  // namespace
}  // namespace tidemill::healthlake
