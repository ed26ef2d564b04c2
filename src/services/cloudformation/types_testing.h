// For tests: types of resources over the services that they speak to, all on the simulated store. A case says what a
// resource is made of, what the services then tell of it, and what becomes of it:
//
//   World world;
//   world.check({.type = "AWS::SQS::Queue",
//                .properties = R"({"DelaySeconds": "5"})",
//                .made = {{"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}","AttributeNames":["All"]})",
//                          R"({"Attributes":{"DelaySeconds":"5"}})"}},
//                .updated = R"({"DelaySeconds": 7})",
//                .changed = {…},
//                .gone = {"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}"})", "QueueDoesNotExist"}});
//
// {ID} is the physical id, {NAME} what stands behind its last '/', ':' or '|'. Answers may have more than is asked for.
// Beside what the case says, it checks what holds of every type: made again after a crash that nobody saw, it is the
// same resource; changed twice and back, it is what it was; removed twice, it is gone. A type that can be read tells what
// it was told, in forms that a change of it takes, and is listed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/types/types.h"
#include "services/cloudwatch/service.h"
#include "services/dynamodb/service.h"
#include "services/ecr/service.h"
#include "services/events/service.h"
#include "services/healthlake/service.h"
#include "services/iam/service.h"
#include "services/kinesis/service.h"
#include "services/kms/key_file_in_memory.h"
#include "services/kms/service.h"
#include "services/logs/service.h"
#include "services/s3/service.h"
#include "services/scheduler/service.h"
#include "services/secretsmanager/service.h"
#include "services/sns/service.h"
#include "services/sqs/service.h"
#include "services/ssm/service.h"
#include "services/states/service.h"
#include "services/sts/service.h"
#include "services/test_world.h"
#include "store/sim_blobs.h"

namespace tidemill::cloudformation::testing {

// A question to a service, and what its answer has (JSON), or the code that it is refused with.
struct Look {
  std::string service;
  std::string operation;
  std::string request;
  std::string answer;
};

struct TypeCase {
  std::string type;
  std::vector<Look> before = {};  // what must stand there already; answers as for others
  std::string properties;
  std::string attributes = "{}";
  std::vector<Look> made = {};
  std::string updated = {};  // empty: nothing changes in place
  std::vector<Look> changed = {};
  Look gone = {};  // empty: nobody can tell
  // Properties that it tells otherwise than it was told, when it is made and when it is updated; null: not at all.
  std::string read_made = "{}";
  std::string read_updated = "{}";
};

// A state machine of passes only: nothing is called.
class NoTasks final : public states::tasks::Caller {
 public:
  [[nodiscard]] std::optional<std::string> refusal(const states::tasks::Resource&) const override { return {}; }
  Task<states::tasks::TaskOutcome> call(const states::tasks::TaskCall& call) override {
    co_return states::tasks::Succeeded{call.parameters};
  }
  [[nodiscard]] states::tasks::TaskOutcome end_of_nested(const states::tasks::Resource&,
                                                         const states::tasks::NestedEnd& end) const override {
    return states::tasks::Succeeded{end.description};
  }
};

class TestStep final : public Step {
 public:
  TestStep(StepScope scope, wire::Context context) : Step(std::move(scope)), context_(std::move(context)) {}

  Task<json::Value> call(std::string service, std::string operation, json::Value document) override {
    co_return co_await context_.registry().call(context_, std::move(service), std::move(operation),
                                                std::move(document));
  }
  Task<void> made(std::string id) override {
    made_id = std::move(id);
    co_return;
  }
  [[nodiscard]] json::Value memory() const override { return memory_; }
  Task<void> remember(json::Value value) override {
    memory_ = std::move(value);
    co_return;
  }
  [[nodiscard]] json::Value noted() const override { return noted_; }
  Task<void> note(json::Value value) override {
    noted_ = std::move(value);
    co_return;
  }
  Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration most) override {
    const base::Time end = context_.now() + most;
    while (!co_await done()) {
      if (context_.now() >= end) co_return false;
      co_await context_.clock().sleep_until(context_.now() + std::chrono::seconds(5));
    }
    co_return true;
  }
  Task<bool> wait_for_topic(std::string, std::function<Task<bool>()> done, base::Duration most) override {
    return wait_until(std::move(done), most);
  }
  [[nodiscard]] wire::Context& context() override { return context_; }

  void set_memory(json::Value memory) { memory_ = std::move(memory); }
  void set_noted(json::Value noted) { noted_ = std::move(noted); }
  std::string made_id;

 private:
  wire::Context context_;
  json::Value memory_;
  json::Value noted_;
};

class World : public services::testing::TestWorld {
 public:
  World() : TestWorld({}, 1, store::SimFaults::none()) { boot(); }
  ~World() { shut_down(); }

  static constexpr std::string_view kStack = "shop";
  static constexpr std::string_view kLogical = "Thing";

  void check(const TypeCase& one) {
    SCOPED_TRACE(one.type);
    for (const Look& look : one.before) expect(look, "");
    const ResourceType* type = find_type(one.type);
    ASSERT_NE(type, nullptr) << one.type << " is no type";
    const json::Object properties = checked(*type, one.properties);
    TestStep first = step(one.type, 1, false);
    const std::string id = finish(type->create(first, properties));
    if (!first.made_id.empty()) EXPECT_EQ(first.made_id, id);
    TestStep again = step(one.type, 1, true);
    again.set_memory(first.memory());
    EXPECT_EQ(finish(type->create(again, properties)), id) << "made twice";
    if (type->attributes) {
      const json::Object attributes = finish(type->attributes(again, id, properties));
      expect_within(parse(filled(one.attributes, id)), attributes, "attributes");
    }
    for (const Look& look : one.made) expect(look, id);
    expect_read(*type, id, properties, one.read_made);
    const json::Object last = one.updated.empty() ? properties : change(*type, one, id, properties);
    if (!one.updated.empty()) expect_read(*type, id, last, one.read_updated);
    for (const int64_t operation : {8, 9}) {
      TestStep removing = step(one.type, operation, operation == 9);
      finish(done(type->remove(removing, id, last)));
    }
    if (!one.gone.service.empty()) expect(one.gone, id);
  }

  // "id", or "Code: message" of the refusal of a new resource.
  std::string create(std::string_view type_name, std::string_view properties) {
    const ResourceType* type = find_type(type_name);
    if (!type) return "no type";
    try {
      const json::Object made_of = checked(*type, properties);
      TestStep making = step(type_name, 1, false);
      return finish(type->create(making, made_of));
    } catch (const wire::Error& error) {
      return error.code + ": " + error.message;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  // A service's answer; throws wire::Error.
  json::Value tell(const std::string& service, const std::string& operation, std::string_view request) {
    wire::Context context = context_of();
    return finish(registry->call(context, service, operation, parse(std::string(request))));
  }

  void expect(const Look& look, const std::string& id) {
    const std::string title = look.service + " " + look.operation;
    try {
      const json::Value answer = tell(look.service, look.operation, filled(look.request, id));
      const auto expected = json::parse(filled(look.answer, id));
      ASSERT_TRUE(expected) << title << " was to be refused: " << json::write(answer);
      expect_within(*expected, answer, title);
    } catch (const wire::Error& error) {
      EXPECT_EQ(look.answer, error.code) << title << ": " << error.message;
    }
  }

  // Runs it to its end, and the clock as far as it waits.
  template <class T>
  T finish(Task<T> task) {
    std::optional<T> result;
    std::exception_ptr error;
    {
      const base::Executor::Enter enter(executor);
      tasks.spawn(keep_outcome(std::move(task), result, error));
    }
    settle();
    for (int minute = 0; !result && !error && minute < kMinutesMax; ++minute) advance(std::chrono::minutes(1));
    if (error) std::rethrow_exception(error);
    return std::move(result).value();
  }

  TestStep step(std::string_view type, int64_t operation, bool may_repeat, bool brings_back = false,
                int64_t since = 0) {
    StepScope scope{.account = std::string(kAccount),
                    .region = std::string(kRegion),
                    .stack_id = "arn:aws:cloudformation:us-east-1:000000000000:stack/shop/1",
                    .stack_name = std::string(kStack),
                    .logical_id = std::string(kLogical),
                    .type = std::string(type),
                    .operation = operation};
    scope.tags = {{"stack", "shop"}};
    scope.previous_tags = scope.tags;
    scope.may_repeat = may_repeat;
    scope.brings_back = brings_back;
    scope.since = since;
    return TestStep(std::move(scope), context_of());
  }

  static Task<bool> done(Task<void> task) {
    co_await task;
    co_return true;
  }

 private:
  static constexpr int kMinutesMax = 120;

  template <class T>
  static Task<void> keep_outcome(Task<T> task, std::optional<T>& result, std::exception_ptr& error) {
    try {
      result.emplace(co_await task);
    } catch (...) {
      error = std::current_exception();
    }
  }
  json::Object change(const ResourceType& type, const TypeCase& one, const std::string& id,
                      const json::Object& before) {
    const json::Object after = checked(type, one.updated);
    EXPECT_FALSE(needs_replacement(type, before, after)) << "is replaced";
    const auto update = [&](int64_t operation, const json::Object& from, const json::Object& to) {
      TestStep changing = step(one.type, operation, operation == 3);
      EXPECT_EQ(finish(type.update(changing, id, from, to)), id);
    };
    update(2, before, after);
    update(3, before, after);
    for (const Look& look : one.changed) expect(look, id);
    update(4, after, before);
    for (const Look& look : one.made) expect(look, id);
    update(5, before, after);
    return after;
  }

  void expect_read(const ResourceType& type, const std::string& id, json::Object told, const std::string& otherwise) {
    if (!type.read) return;
    TestStep asking = step(type.name, 10, false);
    const json::Object read = finish(type.read(asking, id));
    for (const Property& property : type.properties) {
      if (property.write_only) told.erase(property.name);
    }
    told.erase("Tags");  // the stack's are among them
    const json::Value expected = parse(filled(otherwise, id));
    for (const auto& [name, value] : expected.object()) told.set(name, value);
    expect_within(told, read, "read");
    EXPECT_NO_THROW((void)checked_properties(type, kLogical, read, Source::read)) << json::write(read);
    if (type.update) EXPECT_EQ(finish(type.update(asking, id, read, read)), id) << "is changed to what it is";
    if (!type.list) return;
    const std::vector<std::string> listed = finish(type.list(asking));
    EXPECT_THAT(listed, ::testing::Contains(id));
  }

  static json::Object checked(const ResourceType& type, std::string_view properties) {
    return checked_properties(type, kLogical, parse(std::string(properties)).object());
  }

  static std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
    return text;
  }
  static std::string filled(std::string text, const std::string& id) {
    const size_t mark = id.find_last_of("/:|");
    text = replaced(std::move(text), "{NAME}", mark == std::string::npos ? id : id.substr(mark + 1));
    return replaced(std::move(text), "{ID}", id);
  }

  // Whether all that is expected is there.
  static bool is_within(const json::Value& expected, const json::Value& found) {
    if (expected.is_object() && found.is_object()) {
      return std::ranges::all_of(expected.object(), [&](const json::Member& member) {
        const json::Value* value = found.find(member.first);
        return member.second.is_null() ? !value || value->is_null() : value && is_within(member.second, *value);
      });
    }
    if (expected.is_array() && found.is_array()) {
      return std::ranges::equal(expected.array(), found.array(), is_within);
    }
    return json::equal(expected, found);
  }
  static void expect_within(const json::Value& expected, const json::Value& found, const std::string& title) {
    EXPECT_TRUE(is_within(expected, found))
        << title << "\nexpected " << json::write(expected) << "\nfound    " << json::write(found);
  }

  wire::Context context_of() {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request",
                          wire::Principal::platform());
    context.endpoint = kEndpoint;
    return context;
  }
  // One key for all worlds: making one takes a while.
  static std::filesystem::path key_directory() {
    static const struct Directory {
      std::filesystem::path path =
          std::filesystem::temp_directory_path() / base::cat("tidemill-types-test-", ::getpid());
      ~Directory() { std::filesystem::remove_all(path); }
    } directory;
    return directory.path;
  }

  void make_services() override {
    const engine::HttpSend http = [](net::HttpCall) -> Task<net::HttpAnswer> { co_return net::HttpAnswer{}; };
    deliveries_ = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    blobs_ = store::make_sim_blobs(blob_disk_);
    dynamodb_ = std::make_unique<dynamodb::Service>(*store, clock);
    kinesis_ = std::make_unique<kinesis::Service>(*store, clock);
    sqs_ = std::make_unique<sqs::Service>(*store, clock);
    s3_ = std::make_unique<s3::Service>(*store, *blobs_, clock);
    logs_ = std::make_unique<logs::Service>(*store, clock, false);
    cloudwatch_ = std::make_unique<cloudwatch::Service>(*store, clock, executor, gathered);
    sns_ = std::make_unique<sns::Service>(
        *platform, http,
        sns::ServiceOptions{
            .directory = key_directory(), .endpoint = std::string(kEndpoint), .signs_on_thread = false});
    events_ = std::make_unique<events::Service>(*platform, http);
    scheduler_ = std::make_unique<scheduler::Service>(*platform);
    healthlake_ = std::make_unique<healthlake::Service>(*platform);
    states_ = std::make_unique<states::Service>(*platform, std::make_unique<NoTasks>());
    iam_ = std::make_unique<iam::Service>(*store);
    sts_ = std::make_unique<sts::Service>(*store);
    ssm_ = std::make_unique<ssm::Service>(*store);
    ecr_ = std::make_unique<ecr::Service>(*store);
    kms_ = std::make_unique<kms::Service>(*platform, std::make_unique<kms::testing::KeyFileInMemory>(key_files_));
    secrets_ = std::make_unique<secretsmanager::Service>(*store);
    const auto enrol = [this](auto& service) { service.register_operations(*registry); };
    enrol(*dynamodb_), enrol(*kinesis_), enrol(*sqs_), enrol(*s3_), enrol(*logs_), enrol(*cloudwatch_), enrol(*sns_);
    enrol(*events_), enrol(*scheduler_), enrol(*healthlake_), enrol(*states_), enrol(*iam_), enrol(*sts_), enrol(*ssm_);
    enrol(*ecr_), enrol(*kms_), enrol(*secrets_);
    register_timers();
  }
  void register_timers() {
    dynamodb_->register_timers(*timers);
    kinesis_->register_timers(*timers);
    sqs_->register_timers(*timers);
    s3_->register_timers(*timers, &gathered);
    logs_->register_timers(*timers, *platform);
    cloudwatch_->register_timers(*timers);
    sns_->register_timers(*timers, *deliveries_);
    events_->register_timers(*timers, *deliveries_);
    scheduler_->register_timers(*timers, *deliveries_);
    healthlake_->register_timers(*timers);
    states_->register_timers(*timers);
    kms_->register_timers(*timers);
    secrets_->register_timers(*timers);
  }
  void drop_services() override {
    secrets_.reset(), kms_.reset(), ecr_.reset();
    ssm_.reset(), sts_.reset(), iam_.reset(), states_.reset(), healthlake_.reset(), scheduler_.reset();
    events_.reset(), sns_.reset(), cloudwatch_.reset(), logs_.reset(), s3_.reset(), sqs_.reset();
    kinesis_.reset(), dynamodb_.reset(), blobs_.reset(), deliveries_.reset();
  }

  store::SimBlobDisk blob_disk_;
  std::unique_ptr<store::Blobs> blobs_;
  std::unique_ptr<dynamodb::Service> dynamodb_;
  std::unique_ptr<kinesis::Service> kinesis_;
  std::unique_ptr<sqs::Service> sqs_;
  std::unique_ptr<s3::Service> s3_;
  std::unique_ptr<logs::Service> logs_;
  std::unique_ptr<cloudwatch::Service> cloudwatch_;
  std::unique_ptr<engine::Deliveries> deliveries_;
  std::unique_ptr<sns::Service> sns_;
  std::unique_ptr<events::Service> events_;
  std::unique_ptr<scheduler::Service> scheduler_;
  std::unique_ptr<healthlake::Service> healthlake_;
  std::unique_ptr<states::Service> states_;
  std::unique_ptr<iam::Service> iam_;
  std::unique_ptr<sts::Service> sts_;
  std::unique_ptr<ssm::Service> ssm_;
  std::unique_ptr<ecr::Service> ecr_;
  kms::testing::KeyFiles key_files_;
  std::unique_ptr<kms::Service> kms_;
  std::unique_ptr<secretsmanager::Service> secrets_;
};

}  // namespace tidemill::cloudformation::testing
