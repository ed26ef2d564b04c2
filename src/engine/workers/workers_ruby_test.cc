// Functions in Ruby.
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RubyTest : public WorkersTest {
 protected:
  std::shared_ptr<FunctionSpec> ruby(const std::string& source, std::string handler = "app.handler") {
    return function("ruby3.99", std::move(handler), {{"app.rb", source}});
  }
};

TEST_F(RubyTest, AHandlerAnswersAndStaysWarm) {
  const auto spec = ruby("$count = 0\ndef handler(event:, context:)\n  $count += 1\n  [Process.pid, $count, event['x']]\nend\n");
  const InvocationResult first = invoke(spec, R"({"x":"é"})");
  ASSERT_EQ(first.status, InvokeStatus::ok) << first.payload << first.detail;
  EXPECT_THAT(first.payload, testing::EndsWith(",1,\"é\"]"));
  const InvocationResult second = invoke(spec, R"({"x":2})");
  EXPECT_EQ(second.payload.substr(0, second.payload.find(',')), first.payload.substr(0, first.payload.find(',')));
}

TEST_F(RubyTest, AMethodOfAClassFindsContextAndEnvironment) {
  const auto spec = ruby("module Shop\n  class Sale\n    def self.process(event:, context:)\n"
                         "      raise unless (1..20_000).cover?(context.get_remaining_time_in_millis)\n"
                         "      [context.aws_request_id, context.function_name, context.memory_limit_in_mb,\n"
                         "       context.invoked_function_arn, ENV['AWS_EXECUTION_ENV'], Dir.pwd == ENV['LAMBDA_TASK_ROOT']]\n"
                         "    end\n  end\nend\n", "app.Shop::Sale.process");
  EXPECT_EQ(invoke(spec).payload, base::cat(R"([")", kId, R"(",")", spec->name, R"(","256",")", spec->arn,
                                            R"(","AWS_Lambda_ruby3.99",true])"));
}

TEST_F(RubyTest, AnExceptionHasTheShapeOfAws) {
  const auto spec = ruby("class Trouble < StandardError; end\ndef deeper = raise(Trouble, 'it broke')\n"
                         "def handler(event:, context:)\n  deeper\nend\n");
  const InvocationResult result = invoke(spec, "{}", true);
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(member(result.payload, "errorType"), "Function<Trouble>");
  EXPECT_EQ(member(result.payload, "errorMessage"), "it broke");
  EXPECT_EQ(json::parse(result.payload)->find("stackTrace")->array().size(), 2U);
  EXPECT_THAT(result.log_tail, HasSubstr("Error raised from handler method"));
}

// The name stands in a header of the runtime API.
TEST_F(RubyTest, AnExceptionOfAnyNameIsAnError) {
  const auto spec = ruby("class Trouble < StandardError\n  def self.to_s = \"two\\nlines\"\nend\n"
                         "def handler(event:, context:)\n  raise Trouble, 'it broke'\nend\n");
  const InvocationResult result = invoke(spec);
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(member(result.payload, "errorType"), "Function<two\nlines>");
}

TEST_F(RubyTest, CodeThatCannotBeLoadedSaysWhy) {
  const auto error_of = [&](const std::string& source, const std::string& handler = "app.handler") {
    const InvocationResult result = invoke(ruby(source, handler));
    return member(result.payload, "errorType") + ": " + member(result.payload, "errorMessage");
  };
  EXPECT_THAT(error_of("require 'nonsense'"), StartsWith("Init<LoadError>: cannot load such file -- nonsense"));
  EXPECT_THAT(error_of("require 'nonsense'"), HasSubstr("(this host has no Ruby 3.99: the function runs on Ruby 3."));
  EXPECT_THAT(error_of("require 'aws-sdk-s3'"), HasSubstr("the AWS SDK for Ruby does not stand beside this server"));
  EXPECT_THAT(error_of("def handler("), StartsWith("Init<SyntaxError>: "));
  EXPECT_THAT(error_of("1"), StartsWith("Init<NameError>: undefined method `handler'"));
  EXPECT_THAT(error_of("1", "app"), StartsWith("Init<ArgumentError>: Invalid handler app"));
}

TEST_F(RubyTest, WhatIsPrintedIsLoggedAndATimeoutEndsIt) {
  auto spec = ruby("def handler(event:, context:)\n  puts 'begun'\n  sleep\nend\n");
  spec->timeout = 3s;
  const InvocationResult result = invoke(spec, "{}", true);
  EXPECT_EQ(member(result.payload, "errorType"), "Sandbox.Timedout");
  EXPECT_THAT(result.log_tail, HasSubstr("begun"));
}

TEST_F(RubyTest, GemsAreThoseOfThePackageAndItsLayers) {
  auto spec = function("ruby3.99", "app.handler", {
      {"app.rb", "require 'brought'\nrequire 'layered'\ndef handler(event:, context:)\n"
                 "  [BROUGHT, LAYERED, Gem.path.any? { |path| path.start_with?('/var') }]\nend\n"},
      {"vendor/bundle/ruby/3.99.0/gems/brought-1.0/lib/brought.rb", "BROUGHT = 'tea'\n"},
      {"vendor/bundle/ruby/3.99.0/specifications/brought-1.0.gemspec",
       "Gem::Specification.new { |s| s.name = 'brought'; s.version = '1.0'; s.summary = 'x'; s.authors = ['x'] }\n"}});
  spec->layers = directory_ / "layers";
  fs::create_directories(spec->layers / "ruby/lib");
  std::ofstream(spec->layers / "ruby/lib/layered.rb") << "LAYERED = 'cups'\n";
  EXPECT_EQ(invoke(spec).payload, R"(["tea","cups",false])");
}

}  // namespace
}  // namespace tidemill::engine
