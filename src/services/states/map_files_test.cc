// What distributed maps read and write besides plain objects: manifests, transformations, files of a bounded size; and maps
// within maps.
#include <zlib.h>

#include "services/states/map_testing.h"
#include "services/states/map_results.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using World = testing::MapWorld;
using testing::machine_of;
using namespace std::chrono_literals;

std::string gzip_of(std::string text) {
  constexpr int kGzipOnly = 15 + 16;
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, kGzipOnly, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1000, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(text.data());
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - zlib.avail_out);
  deflateEnd(&zlib);
  return out;
}

std::string manifest_reader(std::string_view more = "") {
  return base::cat(R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"m"},
      "ReaderConfig":{"InputType":"MANIFEST")", more, "}},");
}

void add_inventory(World& world, std::string_view format = "CSV") {
  world.objects["m"] = json::write(json::Object{
      {"sourceBucket", "source"},
      {"destinationBucket", "arn:aws:s3:::b"},
      {"fileFormat", format},
      {"fileSchema", "Bucket, Key, Size"},
      {"files", json::Array{json::Object{{"key", "one.csv.gz"}}, json::Object{{"key", "two.csv"}}}}});
  world.objects["one.csv.gz"] = gzip_of("\"source\",\"a\",\"1\"\n\"source\",\"b,c\",\"2\"\n");
  world.objects["two.csv"] = "\"source\",\"d\",\"3\"\n";
}

constexpr std::string_view kInventory =
    R"([{"Bucket":"source","Key":"a","Size":"1"},{"Bucket":"source","Key":"b,c","Size":"2"},)"
    R"({"Bucket":"source","Key":"d","Size":"3"}])";

TEST(MapManifest, GivesTheRowsOfAnInventorysFiles) {
  World world;
  world.add_bucket();
  add_inventory(world);
  ASSERT_THAT(world.create("m", machine_of(manifest_reader())), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.output(arn), kInventory) << world.told(arn, "cause");
}

TEST(MapManifest, IsReadOnAfterACrashAtAnyStep) {
  bool has_ended = false;
  for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); steps += 3) {
    World world;
    world.add_bucket();
    add_inventory(world);
    world.create("m", machine_of(manifest_reader() + R"("MaxConcurrency":1,)"));
    const std::string arn = world.begin("m");
    uint64_t done = 0;
    while (done < steps && world.executor.run_one()) ++done;
    has_ended = done < steps;
    world.crash();
    world.advance(1min);
    EXPECT_EQ(world.output(arn), kInventory) << steps;
    EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 3 0 0 3") << steps;
  }
}

TEST(MapManifest, SaysWhatItCannotRead) {
  World world;
  world.add_bucket();
  add_inventory(world, "ORC");
  world.create("m", machine_of(manifest_reader()));
  const std::string orc = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(orc, "error"), "States.ItemReaderFailed");
  EXPECT_THAT(world.told(orc, "cause"), HasSubstr("ORC"));
  add_inventory(world);
  world.objects["one.csv.gz"] = "no gzip at all";
  const std::string damaged = world.begin("m");
  world.settle();
  EXPECT_THAT(world.told(damaged, "cause"), HasSubstr("'one.csv.gz' of the inventory is no gzip"));
  add_inventory(world);
  world.objects["one.csv.gz"].resize(20);
  const std::string cut = world.begin("m");
  world.settle();
  EXPECT_THAT(world.told(cut, "cause"), HasSubstr("ends in its middle"));
  EXPECT_THAT(world.create("athena", machine_of(manifest_reader(R"(,"ManifestType":"ATHENA_DATA")"))),
              HasSubstr("Tidemill does not support manifests of ATHENA_DATA"));
}

std::string writer(std::string_view transformation) {
  return base::cat(R"("ResultWriter":{"Resource":"arn:aws:states:::s3:putObject",
      "Parameters":{"Bucket":"b","Prefix":"out"},"WriterConfig":{"Transformation":")", transformation,
                   R"(","OutputType":"JSON"}},)");
}

std::vector<std::string> files(World& world, std::string_view name) {
  std::vector<std::string> found;
  for (const auto& [key, body] : world.objects) {
    if (key.contains(name)) found.push_back(body);
  }
  return found;
}

TEST(MapFiles, FlattenArraysOfOutputs) {
  World world;
  world.add_bucket();
  world.create("m", machine_of(writer("FLATTEN")));
  const std::string arn = world.begin("m", R"([[1,2],[],3,[[4]]])");
  world.settle();
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << world.told(arn, "cause");
  EXPECT_THAT(files(world, "SUCCEEDED_0.json"), ::testing::ElementsAre("[1,2,3,[4]]"));
}

TEST(MapFiles, AreNoLargerThanTheirBound) {
  World world;
  world.add_bucket();
  constexpr size_t kOutputBytes = 200'000;
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Succeeded{std::string(kOutputBytes, 'x')}; };
  world.create("m", machine_of(writer("COMPACT")));
  std::string items = "[0";
  for (int i = 1; i < 60; ++i) items += base::cat(",", i);
  const std::string arn = world.begin("m", items + "]");
  world.settle();
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << world.told(arn, "cause");
  const auto written = files(world, "SUCCEEDED_");
  ASSERT_EQ(written.size(), 2u);
  size_t outputs = 0;
  for (const std::string& file : written) {
    EXPECT_LE(file.size(), kResultFileBytesMax + kOutputBytes + 100);
    outputs += World::parse(file).array().size();
  }
  EXPECT_EQ(outputs, 60u);
}

TEST(MapFiles, OfAnotherOwnerAreNotRead) {
  World world;
  world.add_bucket();
  world.objects["k"] = "[1]";
  const auto machine = [](std::string_view owner) {
    return machine_of(base::cat(R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject",
        "Parameters":{"Bucket":"b","Key":"k"},"ReaderConfig":{"InputType":"JSON","ExpectedBucketOwner":")", owner,
                                R"("}},)"));
  };
  world.create("own", machine("000000000000"));
  world.create("other", machine("111111111111"));
  const std::string own = world.begin("own");
  const std::string other = world.begin("other");
  world.settle();
  EXPECT_EQ(world.output(own), "[1]");
  EXPECT_EQ(world.told(other, "error"), "States.ItemReaderFailed");
  EXPECT_THAT(world.told(other, "cause"), HasSubstr("Access Denied"));
}

TEST(MapRunsWithin, MapRunsAreRunsOfTheirOwn) {
  World world;
  const std::string inner = R"({"Type":"Map","Label":"inner","End":true,"ItemProcessor":{"ProcessorConfig":
      {"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"Work","States":{"Work":
      {"Type":"Task","Resource":"arn:aws:states:::test:do","End":true}}}})";
  ASSERT_THAT(world.create("m", machine_of("", "STANDARD", inner)), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[[1,2],[3]]");
  world.settle();
  EXPECT_EQ(world.output(arn), "[[1,2],[3]]") << world.told(arn, "cause");
  EXPECT_EQ(world.calls.size(), 3u);
  EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 2 0 0 2");
}

// The failure of a grandchild; its redrive goes all the way down.
TEST(MapRunsWithin, MapRunsAreRedrivenWithThem) {
  World world;
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    if (json::write(call.parameters) == "2") return tasks::Failed{.error = "Bad", .cause = ""};
    return tasks::Succeeded{call.parameters};
  };
  const std::string inner = R"({"Type":"Map","Label":"inner","End":true,"ItemProcessor":{"ProcessorConfig":
      {"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"Work","States":{"Work":
      {"Type":"Task","Resource":"arn:aws:states:::test:do","End":true}}}})";
  world.create("m", machine_of("", "STANDARD", inner));
  const std::string arn = world.begin("m", "[[1,2],[3]]");
  world.settle();
  ASSERT_EQ(world.status(arn), "FAILED");
  world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
  (void)world.run("RedriveExecution", json::write(json::Object{{"executionArn", arn}}));
  world.settle();
  EXPECT_EQ(world.output(arn), "[[1,2],[3]]") << world.told(arn, "cause");
}

TEST(MapRunsWithin, AreAbortedWhenTheTimeOfTheirParentIsUp) {
  World world;
  std::string definition = machine_of("", "STANDARD", R"({"Type":"Wait","Seconds":60,"End":true})");
  definition.insert(1, R"("TimeoutSeconds":5,)");
  ASSERT_THAT(world.create("m", definition), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[1,2]");
  world.settle();
  EXPECT_EQ(world.item_counts(arn), "RUNNING 0 2 0 0 0 2");
  world.advance(5s);
  EXPECT_EQ(world.status(arn), "TIMED_OUT");
  EXPECT_EQ(world.item_counts(arn), "ABORTED 0 0 0 0 2 2");
}

}  // namespace
}  // namespace tidemill::states
