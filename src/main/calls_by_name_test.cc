// Every operation of every service called by its name with a document: testdata/calls_by_name.txt says each call and
// what comes of it. Then a few things that people do, from end to end, by nothing but documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "base/executor.h"
#include "base/text.h"
#include "main/services.h"
#include "net/loop.h"
#include "rights/authorizer.h"
#include "services/iam/identity.h"
#include "store/rocksdb_store.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/pipeline/answer_sizes.h"
#include "wire/registry.h"
#include "wire/shape_table.h"
#include "wire/validation.h"

namespace tidemill {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The services as the server assembles them, over a store in a directory that goes away.
class CallsByName : public ::testing::Test {
 protected:
  CallsByName() {
    runner_ = std::thread([this] { loop_.run(); });
    run([this] { return services_->start(); });
  }
  ~CallsByName() override {
    loop_.stop();
    runner_.join();
    {
      const base::Executor::Enter enter(loop_);
      tasks_.clear();
      services_.reset();
      store_.reset();
    }
    fs::remove_all(directory_);
  }

  // What becomes of a call: the document, or "Code: message".
  std::string call(const std::string& service, const std::string& name, const std::string& document,
                   const wire::Principal& by = "tester", const std::string& source_ip = "") {
    std::string outcome;
    run([&]() -> Task<void> {
      wire::Context context(platform_, "000000000000", "us-east-1", "request", by);
      context.endpoint = "http://127.0.0.1:4566";
      context.source_ip = source_ip;
      try {
        outcome = json::write(co_await registry_.call(context, service, name, json::parse(document).value()));
      } catch (const wire::Error& error) {
        outcome = error.code + ": " + error.message;
      }
    });
    return outcome;
  }
  json::Value ask(const std::string& service, const std::string& name, const std::string& document) {
    const std::string outcome = call(service, name, document);
    const auto answer = json::parse(outcome);
    EXPECT_TRUE(answer) << service << "." << name << ": " << outcome;
    return answer.value_or(json::Object());
  }

  wire::Registry& registry() { return registry_; }
  store::Store& store() { return *store_; }
  void write(std::function<void(store::Transaction& txn)> change) {
    run([&]() -> Task<void> {
      co_await store_->transact([&](store::Transaction& txn) -> Task<void> {
        change(txn);
        co_return;
      });
    });
  }
  void judge_with(wire::Authorizer& authorizer) { platform_.authorizer = &authorizer; }

 private:
  // Runs a task on the loop and waits for it.
  void run(std::function<Task<void>()> task) {
    std::atomic<bool> done = false;
    loop_.post([&] {
      tasks_.spawn([](std::function<Task<void>()>& body, std::atomic<bool>& flag) -> Task<void> {
        co_await body();
        flag = true;
        flag.notify_one();
      }(task, done));
    });
    done.wait(false);
  }

  [[nodiscard]] ServicesOptions options() const {
    ServicesOptions result{directory_, "http://127.0.0.1:4566"};
    result.key_directory = directory_ / "keys";
    return result;
  }

  fs::path directory_ = fs::temp_directory_path() / base::cat("tidemill-calls-by-name-", ::getpid());
  base::RealClock clock_;
  net::Loop loop_{clock_.activity()};
  std::unique_ptr<store::Store> store_ = store::open_rocksdb({.directory = directory_}, clock_);
  base::Metrics metrics_;
  wire::Registry registry_;
  wire::PlatformMetrics usage_{clock_};
  wire::Platform platform_{*store_, clock_, metrics_, registry_, &usage_};
  std::unique_ptr<Services> services_ =
      std::make_unique<Services>(platform_, loop_, options());
  base::Scope tasks_;
  std::thread runner_;
};

// A line of the table: service.Operation {document} -> how the outcome begins
struct Case {
  std::string service;
  std::string name;
  std::string document;
  std::string outcome;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(TIDEMILL_CALLS_BY_NAME);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const size_t dot = line.find('.');
    const size_t space = line.find(' ');
    const size_t arrow = line.rfind(" -> ");
    cases.push_back({line.substr(0, dot), line.substr(dot + 1, space - dot - 1),
                     line.substr(space + 1, arrow - space - 1), line.substr(arrow + 4)});
  }
  return cases;
}

TEST_F(CallsByName, EveryOperationTakesADocumentAndGivesOneOrItsServicesError) {
  std::set<std::string> missing;
  for (const wire::Registry::Operation* operation : registry().all()) {
    const wire::OperationInfo& info = operation->info;
    if (info.unsupported_reason.empty()) missing.insert(base::cat(info.service, ".", info.name));
  }
  for (const Case& each : read_cases()) {
    missing.erase(each.service + "." + each.name);
    EXPECT_THAT(call(each.service, each.name, each.document), StartsWith(each.outcome))
        << each.service << "." << each.name << " " << each.document;
  }
  EXPECT_THAT(missing, IsEmpty()) << "operations that the table lacks";
}

TEST_F(CallsByName, EveryOperationHasItsRights) {
  const rights::PolicyAuthorizer authorizer(store(), registry());
  for (const wire::Registry::Operation* operation : registry().all()) {
    if (!operation->info.unsupported_reason.empty()) continue;
    EXPECT_NE(authorizer.table().find(operation->info), nullptr) << operation->info.service << "." << operation->info.name;
  }
}

TEST_F(CallsByName, NothingIsDoneForWhomNothingAllows) {
  // Who one is, and what a token or an address allows by itself.
  const std::set<std::string> free{"sts.GetCallerIdentity", "sts.GetSessionToken", "sns.ConfirmSubscription",
                                   "lambda.DownloadPackage"};
  rights::PolicyAuthorizer authorizer(store(), registry());
  judge_with(authorizer);
  size_t denied = 0;
  const std::vector<Case> cases = read_cases();
  for (const Case& each : cases) {
    if (free.contains(each.service + "." + each.name)) continue;
    const std::string outcome = call(each.service, each.name, each.document);
    EXPECT_THAT(outcome, Not(StartsWith("{"))) << each.service << "." << each.name;
    if (outcome.starts_with("AccessDenied") || outcome.starts_with("AuthorizationError")) ++denied;
  }
  EXPECT_GT(denied, cases.size() / 2);  // the others are no requests at all
}

// `--auth signed`.
TEST_F(CallsByName, BeyondItsAccountAKeyMayDoWhatThePoliciesOfOthersLet) {
  const auto trusting = [](std::string_view principal) {
    return base::cat(R"({\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Principal\":)", principal,
                     R"(,\"Action\":\"sts:AssumeRole\"}})");
  };
  const auto make_role = [&](std::string_view name, std::string_view principal) {
    ask("iam", "CreateRole", base::cat(R"({"RoleName":")", name, R"(","AssumeRolePolicyDocument":")",
                                       trusting(principal), "\"}"));
  };
  make_role("closed", R"({\"Service\":\"lambda.amazonaws.com\"})");
  make_role("open", R"({\"AWS\":\"111111111111\"})");
  ask("s3", "CreateBucket", R"({"Bucket":"theirs"})");
  rights::PolicyAuthorizer authorizer(store(), registry(), rights::Reach::account);
  judge_with(authorizer);

  const auto other = wire::Principal::role({"arn:aws:iam::111111111111:role/r", "f", "", ""});
  const auto assume = [&](std::string_view role, const wire::Principal& by) {
    const std::string arn = base::cat("arn:aws:iam::000000000000:role/", role);
    return call("sts", "AssumeRole", base::cat(R"({"RoleSessionName":"me","RoleArn":")", arn, "\"}"), by);
  };
  EXPECT_THAT(assume("closed", "tester"), StartsWith("{"));
  EXPECT_THAT(assume("closed", other), StartsWith("AccessDenied"));
  EXPECT_THAT(assume("open", other), StartsWith("{"));

  const std::string list = R"({"Bucket":"theirs"})";
  EXPECT_THAT(call("s3", "ListObjectsV2", list), StartsWith("{"));
  EXPECT_THAT(call("s3", "ListObjectsV2", list, other), StartsWith("AccessDenied"));
  ask("s3", "PutBucketPolicy",
      R"({"Bucket":"theirs","Policy":"{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Principal\":)"
      R"({\"AWS\":\"111111111111\"},\"Action\":\"s3:ListBucket\",\"Resource\":\"arn:aws:s3:::theirs\"}}"})");
  EXPECT_THAT(call("s3", "ListObjectsV2", list, other), StartsWith("{"));
  EXPECT_THAT(call("s3", "GetBucketAcl", list, other), StartsWith("AccessDenied"));
}

// `--auth iam`.
TEST_F(CallsByName, WhoMayMakeBucketsIsToldOfANameThatAnotherAccountHas) {
  ask("s3", "CreateBucket", R"({"Bucket":"theirs"})");
  for (const auto& [name, action] : std::map<std::string, std::string>{{"maker", "s3:*"}, {"reader", "s3:Get*"}}) {
    iam::Identity role = iam::new_identity({iam::Kind::role, "111111111111", name}, base::Time());
    role.trust = R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",)"
                 R"("Principal":{"Service":"lambda.amazonaws.com"}}})";
    role.inline_policies["p"] = base::cat(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":")", action,
                                          R"(","Resource":"*"}})");
    write([&](store::Transaction& txn) { iam::put_identity(txn, role); });
  }
  rights::PolicyAuthorizer authorizer(store(), registry());
  judge_with(authorizer);
  const auto maker = wire::Principal::role({"arn:aws:iam::111111111111:role/maker", "f", "", ""});
  const auto reader = wire::Principal::role({"arn:aws:iam::111111111111:role/reader", "f", "", ""});
  const std::string create = R"({"Bucket":"theirs","ACL":"private"})";
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(call("s3", "CreateBucket", create, reader), StartsWith("AccessDenied"));
    // Whose it is the service looks at, for which everybody is of one account here.
    EXPECT_THAT(call("s3", "CreateBucket", create, maker), StartsWith("{"));
    EXPECT_THAT(call("s3", "PutBucketAcl", create, maker), StartsWith("AccessDenied"));
    EXPECT_THAT(call("s3", "ListObjectsV2", R"({"Bucket":"theirs"})", maker), StartsWith("AccessDenied"));
  }
}

// `--auth signed`.
TEST_F(CallsByName, WhatServicesDoForAnotherAccountItsQueueMustLet) {
  ask("sqs", "CreateQueue", R"({"QueueName":"jobs"})");
  rights::PolicyAuthorizer authorizer(store(), registry(), rights::Reach::account);
  judge_with(authorizer);
  const auto send_for = [&](std::string_view account) {
    const std::string topic = base::cat("arn:aws:sns:us-east-1:", account, ":t");
    return call("sqs", "SendMessage",
                R"({"QueueUrl":"http://127.0.0.1:4566/000000000000/jobs","MessageBody":"m"})",
                wire::Principal::service("sns.amazonaws.com", topic));
  };
  EXPECT_THAT(send_for("000000000000"), StartsWith("{"));
  EXPECT_THAT(send_for("111111111111"), StartsWith("AccessDenied"));
  ask("sqs", "SetQueueAttributes",
      R"({"QueueUrl":"http://127.0.0.1:4566/000000000000/jobs","Attributes":{"Policy":"{\"Version\":\"2012-10-17\",)"
      R"(\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"sns.amazonaws.com\"},)"
      R"(\"Action\":\"sqs:SendMessage\",\"Resource\":\"*\"}}"}})");
  EXPECT_THAT(send_for("111111111111"), StartsWith("{"));
}

TEST_F(CallsByName, ARoleOfAnotherAccountIsGivenToNoService) {
  const std::vector<std::array<std::string, 3>> gifts{
      {"lambda", "CreateFunction",
       R"({"FunctionName":"f","Runtime":"python3.12","Role":"ROLE","Handler":"a.b","Code":{"ZipFile":"UEsFBgAA"}})"},
      {"scheduler", "CreateSchedule",
       R"J({"Name":"s","ScheduleExpression":"rate(1 hour)","FlexibleTimeWindow":{"Mode":"OFF"},)J"
       R"("Target":{"Arn":"arn:aws:sqs:us-east-1:000000000000:jobs","RoleArn":"ROLE"}})"},
      {"pipes", "CreatePipe",
       R"({"Name":"p","Source":"arn:aws:sqs:us-east-1:000000000000:a","Target":"arn:aws:sqs:us-east-1:000000000000:b",)"
       R"("RoleArn":"ROLE"})"},
      {"events", "PutTargets",
       R"({"Rule":"r","Targets":[{"Id":"1","Arn":"arn:aws:sqs:us-east-1:000000000000:a","RoleArn":"ROLE"}]})"},
      {"states", "CreateStateMachine", R"({"name":"m","definition":"{}","roleArn":"ROLE"})"},
      {"cloudformation", "CreateStack", R"({"StackName":"s","TemplateBody":"{}","RoleARN":"ROLE"})"},
  };
  for (const rights::Reach reach : {rights::Reach::account, rights::Reach::rights}) {
    rights::PolicyAuthorizer authorizer(store(), registry(), reach);
    authorizer.know_root("root", "000000000000");
    judge_with(authorizer);
    for (const auto& [service, operation, document] : gifts) {
      std::string request = document;
      request.replace(request.find("ROLE"), 4, "arn:aws:iam::222222222222:role/r");
      const std::string outcome = call(service, operation, request, "root");
      EXPECT_THAT(outcome, StartsWith("AccessDenied")) << service;
      EXPECT_THAT(outcome, HasSubstr("Cross-account pass role is not allowed.")) << service;
    }
  }
}

// What gives a role away, and what is said if the service cannot take it on.
struct Gift {
  std::string service;
  std::string operation;
  std::string document;
  std::string refusal;
};

std::vector<Gift> gifts() {
  const std::string assumed_by = "ValidationException: Provided role 'ROLE' cannot be assumed by principal ";
  const std::string by_states =
      "AccessDeniedException: Neither the global service principal states.amazonaws.com, nor the regional one is "
      "authorized to assume the provided role.";
  const std::string queue = "arn:aws:sqs:us-east-1:000000000000:";
  return {
      {"lambda", "CreateFunction",
       R"({"FunctionName":"f","Runtime":"python3.12","Role":"ROLE","Handler":"a.b","Code":{"ZipFile":"UEsFBgAA"}})",
       "InvalidParameterValueException: The role defined for the function cannot be assumed by Lambda."},
      {"lambda", "UpdateFunctionConfiguration", R"({"FunctionName":"f","Role":"ROLE"})",
       "InvalidParameterValueException: The role defined for the function cannot be assumed by Lambda."},
      {"scheduler", "CreateSchedule",
       base::cat(R"J({"Name":"s","ScheduleExpression":"rate(1 hour)","FlexibleTimeWindow":{"Mode":"OFF"},)J",
                 R"("Target":{"Arn":")", queue, R"(jobs","RoleArn":"ROLE"}})"),
       "ValidationException: The execution role you provide must allow AWS EventBridge Scheduler to assume the role."},
      {"states", "CreateStateMachine", R"({"name":"m","definition":"{}","roleArn":"ROLE"})", by_states},
      {"states", "UpdateStateMachine",
       R"({"stateMachineArn":"arn:aws:states:us-east-1:000000000000:stateMachine:m","roleArn":"ROLE"})", by_states},
      {"pipes", "CreatePipe",
       base::cat(R"({"Name":"p","Source":")", queue, R"(a","Target":")", queue, R"(b","RoleArn":"ROLE"})"),
       assumed_by + "'pipes.amazonaws.com'."},
      {"events", "PutTargets",
       base::cat(R"({"Rule":"r","Targets":[{"Id":"1","Arn":")", queue, R"(a","RoleArn":"ROLE"}]})"),
       assumed_by + "'events.amazonaws.com'."},
      {"logs", "PutSubscriptionFilter",
       R"({"logGroupName":"g","filterName":"f","filterPattern":"","roleArn":"ROLE",)"
       R"("destinationArn":"arn:aws:kinesis:us-east-1:000000000000:stream/s"})",
       "ValidationException: Make sure you have given CloudWatch Logs permission to assume the provided role."},
  };
}

std::string with_role(std::string text, std::string_view role) {
  if (const size_t at = text.find("ROLE"); at != std::string::npos) text.replace(at, 4, role);
  return text;
}

TEST_F(CallsByName, ARoleThatItsServiceCannotTakeOnIsRefusedInItsWords) {
  const auto make_role = [&](std::string_view name, json::Value services) {
    const json::Object statement{{"Effect", "Allow"},
                                 {"Principal", json::Object{{"Service", std::move(services)}}},
                                 {"Action", "sts:AssumeRole"}};
    const std::string trust =
        json::write(json::Value(json::Object{{"Version", "2012-10-17"}, {"Statement", statement}}));
    ask("iam", "CreateRole",
        json::write(json::Value(json::Object{{"RoleName", std::string(name)}, {"AssumeRolePolicyDocument", trust}})));
    return base::cat("arn:aws:iam::000000000000:role/", name);
  };
  const std::string absent = "arn:aws:iam::000000000000:role/absent";
  const std::string of_others = make_role("others", "ec2.amazonaws.com");
  const std::string trusting =
      make_role("trusting", json::Array{"lambda.amazonaws.com", "scheduler.amazonaws.com", "states.amazonaws.com",
                                        "pipes.amazonaws.com", "events.amazonaws.com", "logs.us-east-1.amazonaws.com"});
  rights::PolicyAuthorizer authorizer(store(), registry());
  authorizer.know_root("root", "000000000000");
  judge_with(authorizer);
  for (const Gift& gift : gifts()) {
    for (const std::string& role : {absent, of_others}) {
      EXPECT_EQ(call(gift.service, gift.operation, with_role(gift.document, role), "root"),
                with_role(gift.refusal, role));
    }
    EXPECT_NE(call(gift.service, gift.operation, with_role(gift.document, trusting), "root"),
              with_role(gift.refusal, trusting));
  }
  rights::PolicyAuthorizer of_accounts(store(), registry(), rights::Reach::account);
  of_accounts.know_root("root", "000000000000");
  judge_with(of_accounts);
  for (const Gift& gift : gifts()) {
    EXPECT_NE(call(gift.service, gift.operation, with_role(gift.document, absent), "root"),
              with_role(gift.refusal, absent));
  }
}

TEST_F(CallsByName, WhatIsNoRolesArnIsToldBeforeWhatMayBeDoneWithIt) {
  const std::string by_states = "InvalidArn: Invalid Role Arn: 'ROLE'";
  const std::string by_events = "ValidationException: Parameter ROLE is not valid. Reason: Provided Arn is not in ";
  std::vector<Gift> all = gifts();
  all.push_back({"states", "TestState", R"({"definition":"{}","roleArn":"ROLE"})", ""});
  all.push_back({"events", "PutRule", R"J({"Name":"r","ScheduleExpression":"rate(1 hour)","RoleArn":"ROLE"})J", ""});
  for (const rights::Reach reach : {rights::Reach::account, rights::Reach::rights}) {
    rights::PolicyAuthorizer authorizer(store(), registry(), reach);
    authorizer.know_root("root", "000000000000");
    judge_with(authorizer);
    for (const Gift& gift : all) {
      const std::string refusal = gift.service == "states"   ? by_states
                                  : gift.service == "events" ? by_events
                                  : gift.service == "logs"   ? "InvalidParameterException: Invalid roleArn specified"
                                                             : "ValidationException: 1 validation error detected: ";
      for (const std::string who : {"root", "tester"}) {
        for (const std::string role : {"miller", "arn:aws:iam::1:role/r", "arn:aws:iam::000000000000:user/u"}) {
          EXPECT_THAT(call(gift.service, gift.operation, with_role(gift.document, role), who),
                      StartsWith(with_role(refusal, role)))
              << gift.service << " " << gift.operation;
        }
      }
    }
  }
}

// The AWS CDK makes such roles.
TEST_F(CallsByName, ASchedulesRoleMayBeForItsGroupAlone) {
  const json::Object source{{"aws:SourceArn", "arn:aws:scheduler:us-east-1:000000000000:schedule-group/default"},
                            {"aws:SourceAccount", "000000000000"}};
  const json::Object statement{{"Effect", "Allow"},
                               {"Principal", json::Object{{"Service", "scheduler.amazonaws.com"}}},
                               {"Action", "sts:AssumeRole"},
                               {"Condition", json::Object{{"StringEquals", source}}}};
  const std::string trust = json::write(json::Value(json::Object{{"Version", "2012-10-17"}, {"Statement", statement}}));
  ask("iam", "CreateRole",
      json::write(json::Value(json::Object{{"RoleName", "r"}, {"AssumeRolePolicyDocument", trust}})));
  ask("scheduler", "CreateScheduleGroup", R"({"Name":"other"})");
  rights::PolicyAuthorizer authorizer(store(), registry());
  authorizer.know_root("root", "000000000000");
  judge_with(authorizer);
  const auto create_in = [&](std::string_view group) {
    return call("scheduler", "CreateSchedule",
                base::cat(R"J({"Name":"s","ScheduleExpression":"at(2099-01-01T00:00:00)","GroupName":")J", group,
                          R"(","FlexibleTimeWindow":{"Mode":"OFF"},"Target":)",
                          R"({"Arn":"arn:aws:sqs:us-east-1:000000000000:q",)",
                          R"("RoleArn":"arn:aws:iam::000000000000:role/r"}})"),
                "root");
  };
  EXPECT_THAT(create_in("default"), StartsWith("{"));
  EXPECT_THAT(create_in("other"), StartsWith("ValidationException: The execution role you provide must allow"));
}

TEST_F(CallsByName, AConditionOfATrustPolicyCountsAtEachCall) {
  const auto document = [](json::Object statement) {
    return json::write(json::Value(json::Object{{"Version", "2012-10-17"}, {"Statement", std::move(statement)}}));
  };
  const std::string trust =
      document({{"Effect", "Allow"},
                {"Principal", json::Object{{"Service", "lambda.amazonaws.com"}}},
                {"Action", "sts:AssumeRole"},
                {"Condition", json::Object{{"IpAddress", json::Object{{"aws:SourceIp", "127.0.0.1"}}}}}});
  const std::string policy = document({{"Effect", "Allow"}, {"Action", "sqs:ListQueues"}, {"Resource", "*"}});
  ask("iam", "CreateRole",
      json::write(json::Value(json::Object{{"RoleName", "r"}, {"AssumeRolePolicyDocument", trust}})));
  ask("iam", "PutRolePolicy",
      json::write(json::Value(json::Object{{"RoleName", "r"}, {"PolicyName", "p"}, {"PolicyDocument", policy}})));
  rights::PolicyAuthorizer authorizer(store(), registry());
  judge_with(authorizer);
  const auto role = wire::Principal::role({"arn:aws:iam::000000000000:role/r", "f", "", ""});
  EXPECT_THAT(call("sqs", "ListQueues", "{}", role, "127.0.0.1"), StartsWith("{"));
  EXPECT_THAT(call("sqs", "ListQueues", "{}", role, "203.0.113.9"), StartsWith("AccessDenied"));
  EXPECT_THAT(call("sqs", "ListQueues", "{}", role, "127.0.0.1"), StartsWith("{"));
}

TEST_F(CallsByName, OperationsWithLargeAnswersAreThere) {
  EXPECT_EQ(wire::AnswerSizes(registry()).found(), wire::AnswerSizes::listed());
}

TEST_F(CallsByName, WhatAwsHasAndTidemillLacksIsRefusedWithItsReason) {
  for (const wire::Registry::Operation* operation : registry().all()) {
    const wire::OperationInfo& info = operation->info;
    if (info.unsupported_reason.empty()) continue;
    EXPECT_THAT(call(std::string(info.service), std::string(info.name), "{}"), HasSubstr(info.unsupported_reason));
  }
}

TEST_F(CallsByName, AnOperationThatNobodyHasIsRefused) {
  EXPECT_EQ(call("sqs", "FlushQueue", "{}"), "UnknownOperationException: Tidemill does not support sqs.FlushQueue");
}

TEST_F(CallsByName, ConstraintsAreReportedAllTogetherAsOverTheWire) {
  EXPECT_EQ(call("dynamodb", "DescribeTable", R"({})"),
            "ValidationException: 1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_THAT(
      call("kinesis", "PutRecord", R"({"StreamName":"river","Data":"","PartitionKey":"","ExplicitHashKey":"x"})"),
      StartsWith("ValidationException: 2 validation errors detected: Value '' at 'partitionKey' failed to satisfy "
                 "constraint: Member must have length greater than or equal to 1; Value 'x' at 'explicitHashKey' "));
}

TEST_F(CallsByName, AMemberThatAnOperationLacksIsRefusedByName) {
  EXPECT_THAT(call("sqs", "ListQueues", R"({"Prefix":"a"})"), HasSubstr("Prefix"));
}

TEST_F(CallsByName, AMessageGoesThroughAQueue) {
  const json::Value queue = ask("sqs", "CreateQueue", R"({"QueueName":"orders"})");
  const std::string url = R"("QueueUrl":)" + json::write(*queue.find("QueueUrl"));
  ask("sqs", "SendMessage",
      "{" + url + R"(,"MessageBody":"tea","MessageAttributes":{"kind":{"DataType":"Binary","BinaryValue":"aGk="}}})");
  const json::Value received = ask("sqs", "ReceiveMessage", "{" + url + R"(,"MessageAttributeNames":["All"]})");
  const json::Value& message = received.find("Messages")->array().at(0);
  EXPECT_EQ(message.find("Body")->string(), "tea");
  EXPECT_EQ(message.find("MessageAttributes")->find("kind")->find("BinaryValue")->string(), "aGk=");
  EXPECT_EQ(call("sqs", "DeleteMessage",
                 "{" + url + R"(,"ReceiptHandle":)" + json::write(*message.find("ReceiptHandle")) + "}"),
            "{}");
}

TEST_F(CallsByName, AnObjectIsPutAndGot) {
  ask("s3", "CreateBucket", R"({"Bucket":"shelf"})");
  ask("s3", "PutObject", R"({"Bucket":"shelf","Key":"jar","Body":"green tea","Metadata":{"kind":"green"}})");
  const json::Value got = ask("s3", "GetObject", R"({"Bucket":"shelf","Key":"jar"})");
  EXPECT_EQ(got.find("Body")->string(), "green tea");
  EXPECT_EQ(got.find("Metadata")->find("kind")->string(), "green");
  EXPECT_EQ(got.find("ContentLength")->to_int64(), 9);
  EXPECT_THAT(got.find("LastModified")->string(), ::testing::MatchesRegex("20..-..-..T..:..:.*Z"));
}

TEST_F(CallsByName, AJsonValueForABodyIsItsText) {
  ask("s3", "CreateBucket", R"({"Bucket":"shelf"})");
  ask("s3", "PutObject", R"({"Bucket":"shelf","Key":"jar","Body":{"tea":[1,2]}})");
  EXPECT_EQ(ask("s3", "GetObject", R"({"Bucket":"shelf","Key":"jar"})").find("Body")->string(), R"({"tea":[1,2]})");
}

TEST_F(CallsByName, ItemsArePutAndQueried) {
  ask("dynamodb", "CreateTable",
      R"({"TableName":"tea","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
      R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]})");
  EXPECT_EQ(call("dynamodb", "PutItem", R"({"TableName":"tea","Item":{"id":{"S":"a"},"n":{"N":"1.0"}}})"), "{}");
  EXPECT_EQ(json::write(*ask("dynamodb", "Query",
                             R"({"TableName":"tea","KeyConditionExpression":"id = :id",)"
                             R"("ExpressionAttributeValues":{":id":{"S":"a"}}})")
                             .find("Items")),
            R"([{"id":{"S":"a"},"n":{"N":"1"}}])");
  const std::string once =
      R"x({"TableName":"tea","Item":{"id":{"S":"a"}},"ConditionExpression":"attribute_not_exists(id)"})x";
  EXPECT_THAT(call("dynamodb", "PutItem", once), StartsWith("ConditionalCheckFailedException: "));
}

TEST_F(CallsByName, AFunctionIsCreatedAndInvoked) {
  // index.py: def handler(event, context): return event
  for (const Case& each : read_cases()) {
    if (each.name == "CreateFunction") ask("lambda", "CreateFunction", each.document);
  }
  const json::Value answer = ask("lambda", "Invoke", R"({"FunctionName":"mill","Payload":{"tea":[1,2]}})");
  EXPECT_EQ(answer.find("Payload")->string(), R"({"tea": [1, 2]})");
  EXPECT_EQ(answer.find("StatusCode")->to_int64(), 200);
}

TEST_F(CallsByName, APublishedMessageReachesAQueue) {
  const json::Value queue = ask("sqs", "CreateQueue", R"({"QueueName":"inbox"})");
  const json::Value topic = ask("sns", "CreateTopic", R"({"Name":"news"})");
  const std::string arn = R"("TopicArn":)" + json::write(*topic.find("TopicArn"));
  ask("sns", "Subscribe",
      "{" + arn + R"(,"Protocol":"sqs","Endpoint":"arn:aws:sqs:us-east-1:000000000000:inbox",)" +
          R"("Attributes":{"RawMessageDelivery":"true"}})");
  ask("sns", "Publish", "{" + arn + R"(,"Message":"hello"})");
  const json::Value received = ask(
      "sqs", "ReceiveMessage", R"({"QueueUrl":)" + json::write(*queue.find("QueueUrl")) + R"(,"WaitTimeSeconds":20})");
  EXPECT_EQ(received.find("Messages")->array().at(0).find("Body")->string(), "hello");
}

// What a stack or the console asks before it calls.
TEST_F(CallsByName, ShapesCanBeAskedAtRunTime) {
  const wire::OperationInfo& info = registry().find("kinesis", "PutRecord")->info;
  std::map<std::string_view, const wire::shapes::Member*> members;
  for (const wire::shapes::Member& member : info.input->members) members[member.name] = &member;
  EXPECT_EQ(members.at("Data")->shape->kind, wire::shapes::Kind::blob);
  EXPECT_NE(members.at("PartitionKey")->required, 0u);
  EXPECT_EQ(members.at("PartitionKey")->text_rule->max, 256u);
  EXPECT_EQ(members.at("StreamName")->required, 0u);
  EXPECT_EQ(info.output->name, "PutRecordOutput");
}

}  // namespace
}  // namespace tidemill
