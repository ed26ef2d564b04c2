// Consumers and their registration.
#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::text_at;
using testing::World;

std::string of_arn(std::string_view more = "") {
  return base::cat(R"({"StreamARN":")", World::arn("s"), "\"", more.empty() ? "" : ",", more, "}");
}

std::string register_consumer(World& world, std::string_view name) {
  return world.run("RegisterStreamConsumer", of_arn(base::cat(R"("ConsumerName":")", name, "\"")));
}

TEST(ConsumersTest, AConsumerIsRegisteredDescribedAndDeregistered) {
  World world;
  world.create_stream("s", 1);
  const std::string arn = World::arn("s") + "/consumer/c:1773446400";
  EXPECT_EQ(register_consumer(world, "c"),
            base::cat(R"({"Consumer":{"ConsumerName":"c","ConsumerARN":")", arn,
                      R"(","ConsumerStatus":"CREATING","ConsumerCreationTimestamp":1773446400}})"));
  EXPECT_EQ(world.run("DescribeStreamConsumer", base::cat(R"({"ConsumerARN":")", arn, "\"}")),
            base::cat(R"({"ConsumerDescription":{"ConsumerName":"c","ConsumerARN":")", arn,
                      R"(","ConsumerStatus":"ACTIVE","ConsumerCreationTimestamp":1773446400,"StreamARN":")",
                      World::arn("s"), "\"}}"));
  EXPECT_THAT(register_consumer(world, "c"), HasSubstr("ResourceInUseException"));
  EXPECT_EQ(world.run("DeregisterStreamConsumer", of_arn(R"("ConsumerName":"c")")), "{}");
  EXPECT_THAT(world.run("DescribeStreamConsumer", of_arn(R"("ConsumerName":"c")")),
              HasSubstr("ResourceNotFoundException"));
}

TEST(ConsumersTest, AStreamHasTwentyConsumersAtMost) {
  World world;
  world.create_stream("s", 1);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(register_consumer(world, base::cat("c", i)), HasSubstr("ConsumerARN"));
  EXPECT_THAT(register_consumer(world, "more"), HasSubstr("LimitExceededException"));
  const json::Value first = world.ask("ListStreamConsumers", of_arn("\"MaxResults\":15"));
  EXPECT_EQ(first.find("Consumers")->array().size(), 15u);
  const json::Value rest =
      world.ask("ListStreamConsumers", of_arn(base::cat(R"("NextToken":")", text_at(first, "NextToken"), "\"")));
  EXPECT_EQ(rest.find("Consumers")->array().size(), 5u);
  EXPECT_EQ(rest.find("NextToken"), nullptr);
}

TEST(ConsumersTest, AConsumerOfTheSameNameThatCameLaterIsAnother) {
  World world;
  world.create_stream("s", 1);
  register_consumer(world, "c");
  world.run("DeregisterStreamConsumer", of_arn(R"("ConsumerName":"c")"));
  world.advance(2s);
  register_consumer(world, "c");
  EXPECT_THAT(world.run("DescribeStreamConsumer",
                        base::cat(R"({"ConsumerARN":")", World::arn("s"), R"(/consumer/c:1773446400"})")),
              HasSubstr("ResourceNotFoundException"));
}

}  // namespace
}  // namespace tidemill::kinesis
