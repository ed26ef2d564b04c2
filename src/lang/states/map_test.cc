// What Map states run over.
#include <ctime>

#include "lang/states/evaluate.h"
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

constexpr std::string_view kInline = R"("ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}})";
constexpr std::string_view kDistributed =
    R"("ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"EXPRESS"},"StartAt":"P",
      "States":{"P":{"Type":"Pass","End":true}}})";

std::string map_state(std::string_view more, std::string_view processor = kInline) {
  return R"({"Type":"Map",)" + std::string(processor) + (more.empty() ? "" : ",") + std::string(more) +
         R"(,"End":true})";
}

std::string error_of(StateFixture& fixture, std::string_view input) {
  return outcome([&] { return Exit{.output = map_of(fixture.state(), fixture.scope(input)).items}; });
}

TEST(MapState, RunsOverItsItems) {
  StateFixture whole(map_state(""));
  EXPECT_EQ(error_of(whole, "[1,2]"), "[1,2]");
  EXPECT_EQ(error_of(whole, R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(error_of(whole, "5"), "States.Runtime: Reference path \"$\" must point to array.");
  StateFixture path(map_state(R"("InputPath":"$.in","ItemsPath":"$.items")"));
  EXPECT_EQ(error_of(path, R"({"in":{"items":[1]}})"), "[1]");
  EXPECT_EQ(error_of(path, R"({"in":{"items":5}})"), "States.Runtime: Reference path \"$.items\" must point to array.");
  EXPECT_EQ(error_of(path, R"({"in":{}})"), "States.Runtime: Invalid path '$.items' : No results for path: $['items']");
  StateFixture distributed(map_state(R"("ItemsPath":"$.items")", kDistributed));
  EXPECT_EQ(error_of(distributed, R"({"items":{"a":1}})"), R"({"a":1})");
}

TEST(MapState, SelectsWhatAnItemIsGiven) {
  StateFixture fixture(map_state(
      R"x("ItemsPath":"$.items","ItemSelector":{"v.$":"$$.Map.Item.Value","deep.$":"$$.Map.Item.Value.x",
      "i.$":"$$.Map.Item.Index",
         "all.$":"$$.Map.Item","name.$":"$$.State.Name","in.$":"$.k",
      "f.$":"States.Format('{}', $$.Map.Item.Index)"})x"));
  const Scope& scope = fixture.scope(R"({"items":[{"x":5}],"k":1})");
  const MapPlan plan = map_of(fixture.state(), scope);
  const MapItem item{.index = 3, .value = make_document(parsed(R"({"x":5})"))};
  EXPECT_EQ(json::write(*item_input(fixture.state(), scope, plan.input, item)),
            R"({"v":{"x":5},"deep":5,"i":3,"all":{"Index":3,"Value":{"x":5}},"name":"State","in":1,"f":"3"})");
  StateFixture plain(map_state("", kDistributed));
  EXPECT_EQ(item_input(plain.state(), scope, plan.input, item).get(), item.value.get());
  EXPECT_EQ(json::write(*item_input(plain.state(), scope, plan.input, {.index = 0, .value = item.value, .key = "a"})),
            R"({"Key":"a","Value":{"x":5}})");
}

// What it costs does not depend on the execution's input: a hundred times as many items, each of which copied all,
// would be a matter of minutes.
TEST(MapState, SelectsWithoutACopyOfAllItems) {
  constexpr int kItems = 50'000;
  StateFixture fixture(
      map_state(R"x("ItemSelector":{"i.$":"$$.Map.Item.Index","f.$":"States.Format('{}', $$.Map.Item.Index)"})x"));
  json::Array items(kItems, json::Value(0));
  const Scope& scope = fixture.scope(json::write(json::Value(items)));
  json::Value context = json::Object{{"Execution", json::Object{{"Input", std::move(items)}}}};
  Scope own = scope;
  own.context = &context;
  const MapPlan plan = map_of(fixture.state(), own);
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kItems; ++i) {
    const MapItem item{.index = static_cast<size_t>(i), .value = make_document(0)};
    (void)item_input(fixture.state(), own, plan.input, item);
  }
  EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
}

TEST(MapState, OldNamesMeanTheSame) {
  StateFixture fixture(R"({"Type":"Map","ItemsPath":"$.l","Parameters":{"x.$":"$$.Map.Item.Value"},
    "Iterator":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}},"End":true})");
  const Scope& scope = fixture.scope(R"({"l":[1]})");
  const MapPlan plan = map_of(fixture.state(), scope);
  EXPECT_EQ(json::write(*item_input(fixture.state(), scope, plan.input, {.value = make_document(7)})), R"({"x":7})");
}

TEST(MapState, ReadsItsLimits) {
  StateFixture fixture(map_state(
      R"("ItemsPath":"$.l","MaxConcurrencyPath":"$.c","ToleratedFailureCountPath":"$.n",
      "ToleratedFailurePercentagePath":"$.p")",
      kDistributed));
  const MapPlan plan = map_of(fixture.state(), fixture.scope(R"({"l":[],"c":5,"n":2,"p":12.5})"));
  EXPECT_EQ(plan.concurrency_max, 5);
  EXPECT_EQ(plan.tolerated_failure_count, 2);
  EXPECT_EQ(plan.tolerated_failure_percentage, 12.5);
  EXPECT_EQ(
      error_of(fixture, R"({"l":[],"c":"NoNumber","n":2,"p":1})"),
      "States.Runtime: The MaxConcurrencyPath field refers to value \"NoNumber\" which is not a valid integer: $.c");
  EXPECT_EQ(error_of(fixture, R"({"l":[],"c":1,"n":-1,"p":1})"),
            "States.Runtime: ToleratedFailureCount cannot be negative.");
  EXPECT_EQ(error_of(fixture, R"({"l":[],"c":1,"n":1,"p":101})"),
            "States.Runtime: ToleratedFailurePercentage must be between 0 and 100.");
}

TEST(MapState, ReadsItsReaderBatcherAndWriter) {
  StateFixture fixture(map_state(
      R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket.$":"$.b","Key":"k.csv"},
         "ReaderConfig":{"InputType":"CSV","CSVHeaderLocation":"GIVEN","CSVHeaders":["a","b"],"CSVDelimiter":"TAB",
      "MaxItemsPath":"$.max"}},
       "ItemBatcher":{"MaxItemsPerBatchPath":"$.size","MaxInputBytesPerBatch":1000,"BatchInput":{"b.$":"$.b"}},
       "ResultWriter":{"Resource":"arn:aws:states:::s3:putObject","Parameters":{"Bucket":"out","Prefix.$":"$.b"},
         "WriterConfig":{"Transformation":"FLATTEN","OutputType":"JSONL"}},"Label":"each")",
      kDistributed));
  const State& state = fixture.state();
  EXPECT_TRUE(state.is_distributed && state.has_express_children && state.has_reader && state.has_batcher &&
              state.has_writer);
  EXPECT_EQ(state.label, "each");
  const MapPlan plan = map_of(state, fixture.scope(R"({"b":"in","max":100000001,"size":2})"));
  EXPECT_FALSE(plan.items);
  ASSERT_TRUE(plan.reader && plan.batcher && plan.writer);
  EXPECT_EQ(json::write(*plan.reader->arguments), R"({"Bucket":"in","Key":"k.csv"})");
  EXPECT_EQ(plan.reader->input_type, ItemReader::InputType::csv);
  EXPECT_EQ(plan.reader->headers, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(plan.reader->delimiter, '\t');
  EXPECT_EQ(plan.reader->items_max, kItemsMax);
  EXPECT_EQ(plan.batcher->items_max, 2);
  EXPECT_EQ(plan.batcher->bytes_max, 1000);
  EXPECT_EQ(json::write(*plan.writer->arguments), R"({"Bucket":"out","Prefix":"in"})");
  EXPECT_EQ(plan.writer->transformation, ResultWriter::Transformation::flatten);
  EXPECT_EQ(plan.writer->output_type, ResultWriter::OutputType::jsonl);
  const Document items[] = {make_document(1), make_document("x")};
  EXPECT_EQ(json::write(*batch_input(*plan.batcher, items)), R"({"BatchInput":{"b":"in"},"Items":[1,"x"]})");
  EXPECT_EQ(error_of(fixture, R"({"b":"in","max":-1,"size":2})"),
            "States.ItemReaderFailed: field MaxItems must be positive");
}

TEST(ParallelState, GivesItsBranchesParameters) {
  StateFixture fixture(
      R"({"Type":"Parallel","Parameters":{"x.$":"$.a"},"ResultSelector":{"first.$":"$[0]"},"ResultPath":"$.r",
    "Branches":[{"StartAt":"P","States":{"P":{"Type":"Succeed"}}},{"StartAt":"Q","States":{"Q":{"Type":"Succeed"}}}],
      "Next":"N"})");
  const Scope& scope = fixture.scope(R"({"a":1})");
  EXPECT_EQ(fixture.state().branches.size(), 2u);
  EXPECT_EQ(json::write(*arguments_of(fixture.state(), scope)), R"({"x":1})");
  EXPECT_EQ(outcome([&] { return leave(fixture.state(), scope, make_document(parsed("[5,6]"))); }),
            R"({"a":1,"r":{"first":5}} -> N)");
}

}  // namespace
}  // namespace tidemill::lang::states
