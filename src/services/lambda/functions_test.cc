// The operations on functions, called as other services would, on a real store; what runs are real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "services/lambda/functions_world.h"

namespace tidemill::lambda {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using Map = std::map<std::string, std::string>;

TEST_F(FunctionsTest, AFunctionIsDescribedAsItWasCreated) {
  auto request = definition();
  request.timeout = 7;
  request.environment.emplace().variables = Map{{"COLOUR", "green"}};
  const auto created = call<ops::CreateFunction>(request);
  EXPECT_EQ(created.function_arn, "arn:aws:lambda:eu-west-1:123456789012:function:echo");
  EXPECT_EQ(created.timeout, 7);
  EXPECT_EQ(created.memory_size, 128);
  EXPECT_EQ(created.state, "Pending");
  EXPECT_EQ(created.state_reason_code, "Creating");
  EXPECT_FALSE(created.last_update_status);
  EXPECT_EQ(created.code_size, static_cast<int64_t>(request.code.zip_file->size()));
  EXPECT_THAT(*created.last_modified, MatchesRegex(R"([0-9-]+T[0-9:]+\.[0-9][0-9][0-9]\+0000)"));

  shapes::GetFunctionInput get;
  get.function_name = "echo";
  const auto found = call<ops::GetFunction>(get);
  EXPECT_EQ(found.configuration->code_sha256, created.code_sha256);
  EXPECT_EQ(found.configuration->environment->variables->at("COLOUR"), "green");
  EXPECT_EQ(found.configuration->logging_config->log_group, "/aws/lambda/echo");
  EXPECT_THAT(*found.code->location, HasSubstr("http://127.0.0.1:4566/2015-03-31/packages/"));

  shapes::DownloadPackageInput download;
  download.digest = found.code->location->substr(found.code->location->rfind('/') + 1);
  EXPECT_EQ(call<ops::DownloadPackage>(download).payload, request.code.zip_file);
}

TEST_F(FunctionsTest, WhatIsNotThereIsNotFoundByItsArn) {
  const std::string message =
      "ResourceNotFoundException: Function not found: arn:aws:lambda:eu-west-1:123456789012:function:";
  EXPECT_EQ(refusal<ops::Invoke>(invocation("nothing")), message + "nothing");
  EXPECT_EQ(refusal<ops::Invoke>(invocation("nothing:7")), message + "nothing:7");
  shapes::DeleteFunctionInput request;
  request.function_name = "nothing";
  EXPECT_EQ(refusal<ops::DeleteFunction>(request), message + "nothing");
  call<ops::CreateFunction>(definition());
  EXPECT_EQ(refusal<ops::Invoke>(invocation("echo:7")), message + "echo:7");
  EXPECT_EQ(refusal<ops::Invoke>(invocation("arn:aws:lambda:us-east-1:123456789012:function:echo")),
            "ResourceNotFoundException: Functions from 'us-east-1' are not reachable in this region ('eu-west-1')");
}

TEST_F(FunctionsTest, AFunctionCanBeNamedInEveryForm) {
  call<ops::CreateFunction>(definition());
  for (const std::string name : {"echo", "echo:$LATEST", "123456789012:function:echo", "function:echo",
                                 "123456789012:function:echo:$LATEST",
                                 "arn:aws:lambda:eu-west-1:123456789012:function:echo",
                                 "arn:aws:lambda:eu-west-1:123456789012:function:echo:$LATEST"}) {
    shapes::GetFunctionConfigurationInput request;
    request.function_name = name;
    EXPECT_EQ(call<ops::GetFunctionConfiguration>(request).function_name, "echo") << name;
  }
  shapes::GetFunctionConfigurationInput both;
  both.function_name = "echo:$LATEST";
  both.qualifier = "1";
  EXPECT_THAT(refusal<ops::GetFunctionConfiguration>(both), HasSubstr("derived qualifier"));
}

TEST_F(FunctionsTest, ANameThatIsTakenIsRefused) {
  call<ops::CreateFunction>(definition());
  EXPECT_EQ(refusal<ops::CreateFunction>(definition()), "ResourceConflictException: Function already exist: echo");
}

TEST_F(FunctionsTest, SettingsThatAreNotSupportedAreRefusedByName) {
  const auto with = [&](auto change) {
    auto request = definition();
    change(request);
    return refusal<ops::CreateFunction>(request);
  };
  EXPECT_THAT(with([](auto& r) { r.package_type = "Image"; }), HasSubstr("PackageType"));
  EXPECT_THAT(with([](auto& r) { r.tracing_config.emplace().mode = "Active"; }), HasSubstr("TracingConfig"));
  for (const char* target : {"arn:aws:s3:::bucket", "arn:aws:sqs:eu-west-1:123456789012:q.fifo"}) {
    EXPECT_THAT(with([&](auto& r) { r.dead_letter_config.emplace().target_arn = target; }),
                HasSubstr("DeadLetterConfig"));
  }
  EXPECT_THAT(with([](auto& r) { r.snap_start.emplace().apply_on = "PublishedVersions"; }), HasSubstr("SnapStart"));
  EXPECT_THAT(with([](auto& r) { r.runtime = "dotnet8"; }), HasSubstr("Value dotnet8 at 'runtime' failed to satisfy"));
  EXPECT_THAT(with([](auto& r) { r.runtime = "python3.99"; }),
              HasSubstr("Value python3.99 at 'runtime' failed to satisfy constraint: Member must satisfy enum value "
                        "set: [nodejs, nodejs4.3, "));
  EXPECT_THAT(with([](auto& r) { r.environment.emplace().variables = Map{{"AWS_REGION", "moon"}}; }),
              HasSubstr("AWS_REGION"));
  EXPECT_THAT(with([](auto& r) { r.environment.emplace().variables = Map{{"BIG", std::string(5000, 'x')}}; }),
              HasSubstr("4KB"));
  EXPECT_THAT(with([](auto& r) { r.handler.reset(); }), HasSubstr("Runtime and Handler are mandatory"));
  EXPECT_THAT(with([](auto& r) { r.code.zip_file = "no zip"; }), HasSubstr("Could not unzip uploaded file."));
  EXPECT_EQ(with([](auto& r) {  // what only says the default is no reason to refuse
              r.layers = std::vector<std::string>{};
              r.publish = false;
              r.package_type = "Zip";
              r.tracing_config.emplace().mode = "PassThrough";
              r.ephemeral_storage.emplace().size = 512;
              r.vpc_config.emplace().subnet_ids = std::vector<std::string>{};
            }),
            "accepted");
}

TEST_F(FunctionsTest, FunctionsAreListedByNameAndPaged) {
  for (const char* name : {"c", "a", "b"}) call<ops::CreateFunction>(definition(name));
  shapes::ListFunctionsInput request;
  request.max_items = 2;
  const auto first = call<ops::ListFunctions>(request);
  ASSERT_EQ(first.functions->size(), 2U);
  EXPECT_EQ(first.functions->at(0).function_name, "a");
  ASSERT_TRUE(first.next_marker);
  request.marker = first.next_marker;
  const auto second = call<ops::ListFunctions>(request);
  ASSERT_EQ(second.functions->size(), 1U);
  EXPECT_EQ(second.functions->at(0).function_name, "c");
  EXPECT_FALSE(second.next_marker);
}

TEST_F(FunctionsTest, AnInvocationAnswersWhatTheHandlerReturns) {
  call<ops::CreateFunction>(definition());
  auto request = invocation("echo", R"({"a":[1,2.5,null]})");
  request.log_type = "Tail";
  const auto answer = call<ops::Invoke>(request);
  EXPECT_EQ(answer.status_code, 200);
  EXPECT_EQ(answer.payload, R"({"a": [1, 2.5, null]})");
  EXPECT_EQ(answer.executed_version, "$LATEST");
  EXPECT_FALSE(answer.function_error);
  EXPECT_THAT(*base::base64_decode(*answer.log_result), HasSubstr("END RequestId: "));
}

TEST_F(FunctionsTest, InvocationsThatCannotBeAreRefused) {
  call<ops::CreateFunction>(definition());
  EXPECT_THAT(refusal<ops::Invoke>(invocation("echo", "{no json")),
              HasSubstr("InvalidRequestContentException: Could not parse request body into json: Could not parse payload "
                        "into json: Unexpected character ('n' (code 110))"));
  EXPECT_EQ(refusal<ops::Invoke>(invocation("echo", '"' + std::string(6'291'456, 'x') + '"')),
            "RequestTooLargeException: 6291458 byte payload is too large for the RequestResponse invocation type "
            "(limit 6291456 bytes)");
  auto request = invocation("echo");
  request.invocation_type = "DryRun";
  EXPECT_EQ(call<ops::Invoke>(request).status_code, 204);
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", std::string(400, '9'))).payload, std::string(400, '9'));
}

TEST_F(FunctionsTest, AnUpdateHoldsForTheNextInvocation) {
  call<ops::CreateFunction>(definition());
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "1");
  shapes::UpdateFunctionCodeInput code;
  code.function_name = "echo";
  code.zip_file = zip_of({{"app.py", "import os\ndef handler(e, c):\n    return os.environ.get('COLOUR', 'none')\n"}});
  code.dry_run = true;
  call<ops::UpdateFunctionCode>(code);
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "1");
  code.dry_run = false;
  const auto updated = call<ops::UpdateFunctionCode>(code);
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "\"none\"");

  shapes::GetFunctionConfigurationInput get;
  get.function_name = "echo";
  shapes::UpdateFunctionConfigurationInput configuration;
  configuration.function_name = "echo";
  configuration.environment.emplace().variables = Map{{"COLOUR", "red"}};
  configuration.revision_id = call<ops::GetFunctionConfiguration>(get).revision_id;
  EXPECT_NE(configuration.revision_id, updated.revision_id);
  EXPECT_EQ(updated.last_update_status, "InProgress");
  call<ops::UpdateFunctionConfiguration>(configuration);
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "\"red\"");
  EXPECT_THAT(refusal<ops::UpdateFunctionConfiguration>(configuration), HasSubstr("PreconditionFailedException: "));
  configuration.revision_id.reset();
  configuration.environment->variables.reset();
  call<ops::UpdateFunctionConfiguration>(configuration);
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "\"red\"") << "no Variables change none";
  configuration.environment.emplace().variables.emplace();
  call<ops::UpdateFunctionConfiguration>(configuration);
  EXPECT_FALSE(call<ops::GetFunctionConfiguration>(get).environment);
}

TEST_F(FunctionsTest, AChangedPolicyIsANewRevisionAndLeavesTheProcessesWarm) {
  auto counter = definition("counter");
  counter.code.zip_file = zip_of(
      {{"app.py", "calls = 0\ndef handler(e, c):\n    global calls\n    calls += 1\n    return calls\n"}});
  call<ops::CreateFunction>(counter);
  shapes::PublishVersionInput publish;
  publish.function_name = "counter";
  call<ops::PublishVersion>(publish);
  shapes::GetFunctionConfigurationInput look;
  shapes::AddPermissionInput add;
  add.statement_id = "topics";
  add.action = "lambda:InvokeFunction";
  add.principal = "sns.amazonaws.com";
  for (const char* name : {"counter", "counter:1"}) {
    look.function_name = add.function_name = name;
    EXPECT_EQ(call<ops::Invoke>(invocation(name)).payload, "1") << name;
    const auto before = call<ops::GetFunctionConfiguration>(look);
    call<ops::AddPermission>(add);
    const auto after = call<ops::GetFunctionConfiguration>(look);
    EXPECT_NE(after.revision_id, before.revision_id) << name;
    EXPECT_EQ(after.last_modified, before.last_modified) << name;
    EXPECT_EQ(call<ops::Invoke>(invocation(name)).payload, "2") << name;
  }
  // It is no change that would be published anew.
  EXPECT_EQ(call<ops::PublishVersion>(publish).version, "1");
}

TEST_F(FunctionsTest, ADeletedFunctionIsGoneAndItsNameFree) {
  call<ops::CreateFunction>(definition());
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "1")).payload, "1");
  shapes::DeleteFunctionInput request;
  request.function_name = "echo";
  call<ops::DeleteFunction>(request);
  EXPECT_THAT(refusal<ops::Invoke>(invocation("echo")), HasSubstr("Function not found"));
  call<ops::CreateFunction>(definition());
  EXPECT_EQ(call<ops::Invoke>(invocation("echo", "2")).payload, "2");
}

TEST_F(FunctionsTest, TagsAreKept) {
  auto request = definition();
  request.tags = Map{{"team", "water"}};
  const std::string arn = *call<ops::CreateFunction>(request).function_arn;
  shapes::TagResourceInput tag;
  tag.resource = arn;
  tag.tags = Map{{"stage", "test"}};
  call<ops::TagResource>(tag);
  shapes::UntagResourceInput untag;
  untag.resource = arn;
  untag.tag_keys = {"team"};
  call<ops::UntagResource>(untag);
  shapes::ListTagsInput list;
  list.resource = arn;
  EXPECT_EQ(call<ops::ListTags>(list).tags, (Map{{"stage", "test"}}));
}

TEST_F(FunctionsTest, AColonBehindAFunctionsArnIsNoOtherArnOfIt) {
  const std::string arn = *call<ops::CreateFunction>(definition()).function_arn;
  EXPECT_FALSE(parse_function_arn(arn + ":"));
  shapes::ListTagsInput list;
  list.resource = arn + ":";
  EXPECT_THAT(refusal<ops::ListTags>(list), HasSubstr("tags of " + arn + ":"));
}

TEST_F(FunctionsTest, TagsThatCannotBeAreRefusedAtTheCreationAndLater) {
  Map many;
  for (int i = 0; i <= 50; ++i) many.emplace("k" + std::to_string(i), "");
  shapes::TagResourceInput tag;
  tag.resource = *call<ops::CreateFunction>(definition()).function_arn;
  for (const Map& tags : {many, Map{{"aws:stage", "test"}}, Map{{"AWS:stage", "test"}},
                          Map{{std::string(129, 'k'), ""}}, Map{{"k", std::string(257, 'v')}}}) {
    auto request = definition("other");
    request.tags = tag.tags = tags;
    EXPECT_THAT(refusal<ops::CreateFunction>(request), HasSubstr("InvalidParameterValueException"));
    EXPECT_THAT(refusal<ops::TagResource>(tag), HasSubstr("InvalidParameterValueException"));
  }
  shapes::UntagResourceInput untag;
  untag.resource = tag.resource;
  untag.tag_keys = {"AWS:stage"};
  EXPECT_THAT(refusal<ops::UntagResource>(untag), HasSubstr("InvalidParameterValueException"));
  std::string umlauts;
  for (int i = 0; i < 128; ++i) umlauts += "\xc3\xa4";
  tag.tags = Map{{umlauts, umlauts + umlauts}};
  call<ops::TagResource>(tag);  // measured in characters
}

TEST_F(FunctionsTest, TheEngineInvokesByArn) {
  const std::string arn = *call<ops::CreateFunction>(definition()).function_arn;
  const auto outcome = run_on(loop_, service_.invoker().invoke(arn, "[1]"));
  EXPECT_EQ(outcome.status, engine::InvokeStatus::ok);
  EXPECT_EQ(outcome.payload, "[1]");
  EXPECT_EQ(run_on(loop_, service_.invoker().invoke(arn + ":5", "[1]")).status, engine::InvokeStatus::no_function);
  EXPECT_EQ(run_on(loop_, service_.invoker().invoke("arn:aws:sqs:eu-west-1:1:q", "[1]")).status,
            engine::InvokeStatus::no_function);
}

}  // namespace
}  // namespace tidemill::lambda
