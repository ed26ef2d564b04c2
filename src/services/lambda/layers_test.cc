// Layers: how they are merged, and when their bytes go. What clients see of them: tests/test_lambda_layers.py.
#include "services/lambda/function_layers.h"
#include "services/lambda/functions_world.h"
#include "services/lambda/layer.h"
#include "services/lambda/layer_set.h"

namespace tidemill::lambda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(LayerSetTest, TheLaterLayerTakesThePlaceOfTheFormer) {
  const TestDirectory directory;
  write(directory / "one/both", "one");
  write(directory / "one/file-then-directory", "one");
  write(directory / "one/directory-then-file/inside", "one");
  write(directory / "one/kept/a", "one");
  fs::create_symlink("both", directory / "one/link-then-file");
  write(directory / "two/both", "two");
  write(directory / "two/file-then-directory/inside", "two");
  write(directory / "two/directory-then-file", "two");
  write(directory / "two/kept/b", "two");
  write(directory / "two/link-then-file", "two");
  merge_layers({directory / "one", directory / "two"}, directory / "merged");
  const auto merged = [&](const std::string& name) { return read_file(directory / ("merged/" + name)); };
  EXPECT_EQ(merged("both"), "two");
  EXPECT_EQ(merged("file-then-directory/inside"), "two");
  EXPECT_EQ(merged("directory-then-file"), "two");
  EXPECT_EQ(merged("kept/a") + merged("kept/b"), "onetwo");
  EXPECT_EQ(merged("link-then-file"), "two");
  EXPECT_EQ(read_file(directory / "one/both"), "one");  // a link is replaced, not written through
}

TEST(LayerSetTest, ASetIsNamedByItsLayersInTheirOrder) {
  EXPECT_EQ(layer_set_name({}), "");
  EXPECT_EQ(layer_set_name({"a"}), "a");
  EXPECT_NE(layer_set_name({"a", "b"}), layer_set_name({"b", "a"}));
  EXPECT_TRUE(is_merged_set(layer_set_name({"a", "b"})));
  EXPECT_FALSE(is_merged_set(layer_set_name({"a"})));
}

class LayersTest : public FunctionsTest {
 protected:
  std::string publish(const std::string& name, const std::string& word) {
    shapes::PublishLayerVersionInput request;
    request.layer_name = name;
    request.content.zip_file = zip_of({{"python/" + name + ".py", "word = '" + word + "'\n"}});
    return *call<ops::PublishLayerVersion>(request).layer_version_arn;
  }
  void create(const std::vector<std::string>& layers, bool publishes = false) {
    auto request = definition();
    request.code.zip_file = zip_of({{"app.py", "import a, b\ndef handler(e, c):\n    return a.word + b.word\n"}});
    request.layers = layers;
    request.publish = publishes;
    call<ops::CreateFunction>(request);
  }
  void remove_layer(const std::string& name) {
    shapes::DeleteLayerVersionInput request;
    request.layer_name = name;
    request.version_number = 1;
    call<ops::DeleteLayerVersion>(request);
  }
  void remove_function() {
    shapes::DeleteFunctionInput request;
    request.function_name = "echo";
    call<ops::DeleteFunction>(request);
  }
  // Removing files is not waited for.
  void wait_for_blobs(size_t count) {
    const auto blobs = directory_ / "store" / "blobs";
    for (int i = 0; i < 6000 && blobs_in(blobs) != count; ++i) ::usleep(10'000);
    EXPECT_EQ(blobs_in(blobs), count);
  }
  bool is_used(const std::string& set) { return run_on(loop_, is_layer_set_used(*store_->snapshot(), set)); }
};

TEST_F(LayersTest, ThePackageOfALayerGoesWithTheLastThatNamesIt) {
  const std::vector<std::string> layers = {publish("a", "x"), publish("b", "y")};
  create(layers, true);
  wait_for_blobs(3);
  remove_layer("a");
  remove_layer("b");
  wait_for_blobs(3);  // $LATEST and version 1 have them
  shapes::UpdateFunctionConfigurationInput update;
  update.function_name = "echo";
  update.layers = std::vector<std::string>{};
  call<ops::UpdateFunctionConfiguration>(update);
  wait_for_blobs(3);
  shapes::InvokeInput invoke = invocation("echo");
  invoke.qualifier = "1";
  EXPECT_EQ(call<ops::Invoke>(invoke).payload, "\"xy\"");
  remove_function();
  wait_for_blobs(0);
}

TEST_F(LayersTest, WhatIsMergedIsKeptAsLongAsAFunctionHasIt) {
  create({publish("a", "x"), publish("b", "y")});
  EXPECT_EQ(call<ops::Invoke>(invocation("echo")).payload, "\"xy\"");
  std::set<std::string> sets = unpacked_in(directory_ / "functions");
  std::erase_if(sets, [](const std::string& name) { return !is_merged_set(name); });
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_TRUE(is_used(*sets.begin()));
  service_.packages().release_all();  // as at a start
  run_on(loop_, service_.packages().remove_released());
  EXPECT_TRUE(unpacked_in(directory_ / "functions").contains(*sets.begin()));
  remove_function();
  EXPECT_FALSE(is_used(*sets.begin()));
  service_.packages().release_all();
  run_on(loop_, service_.packages().remove_released());
  EXPECT_FALSE(unpacked_in(directory_ / "functions").contains(*sets.begin()));
}

TEST_F(LayersTest, LayersCountAsCodeOfTheAccount) {
  publish("a", "x");
  const auto usage = call<ops::GetAccountSettings>({}).account_usage.value();
  EXPECT_GT(usage.total_code_size.value(), 0);
  EXPECT_EQ(usage.function_count.value(), 0);
  remove_layer("a");
  EXPECT_EQ(call<ops::GetAccountSettings>({}).account_usage->total_code_size.value(), 0);
}

TEST_F(LayersTest, AVersionReadsBackAsItWasWritten) {
  const LayerReference reference{{"123456789012", "eu-west-1", "a"}, 7};
  const LayerVersion version{reference, "d", "MIT", {"python3.12"}, {"arm64"}, base::Time(std::chrono::microseconds(5)), "00", 9};
  const auto read = find_layer_version(layer_version_key(reference), encode_layer_version(version));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reference.arn(), "arn:aws:lambda:eu-west-1:123456789012:layer:a:7");
  EXPECT_EQ(encode_layer_version(*read), encode_layer_version(version));
  EXPECT_FALSE(find_layer_version(layer_key(reference.address), "{}"));
}

TEST_F(LayersTest, AVersionHasOneArn) {
  const std::string layer = "arn:aws:lambda:eu-west-1:123456789012:layer:a:";
  ASSERT_TRUE(parse_layer_version_arn(layer + "10"));
  EXPECT_EQ(parse_layer_version_arn(layer + "10")->arn(), layer + "10");
  for (const char* number : {"", "0", "010", "-1", "+1", "1:", "1x", "99999999999999999999"}) {
    EXPECT_FALSE(parse_layer_version_arn(layer + number)) << number;
  }
}

TEST_F(LayersTest, AnArchitectureThatTheHostIsNotIsForInterpretedCode) {
  auto request = definition();
  const std::string other = host_architecture() == "arm64" ? "x86_64" : "arm64";
  request.architectures = std::vector<std::string>{other};
  EXPECT_THAT(call<ops::CreateFunction>(request).architectures.value(), ElementsAre(other));
  EXPECT_THAT(call<ops::Invoke>(invocation("echo")).function_error.value_or(""), IsEmpty());
  shapes::UpdateFunctionConfigurationInput update;
  update.function_name = "echo";
  update.runtime = "provided.al2023";
  EXPECT_THAT(refusal<ops::UpdateFunctionConfiguration>(update), testing::HasSubstr("Architectures " + other));
  request.function_name = "own";
  request.runtime = "provided.al2023";
  EXPECT_THAT(refusal<ops::CreateFunction>(request), testing::HasSubstr("Architectures " + other));
}

}  // namespace
}  // namespace tidemill::lambda
