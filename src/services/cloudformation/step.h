// One try of one change of one resource: what a type may use while it makes, changes or removes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_record.h"
#include "base/task.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

// Which letters a made-up name may have.
enum class NameLetters { mixed, lower };

// What the change belongs to.
struct StepScope {
  std::string account;
  std::string region;
  std::string stack_id;    // ARN
  std::string stack_name;
  std::string logical_id;
  std::string type;        // "AWS::SQS::Queue", "Custom::Thing"
  int64_t operation = 0;   // of the stack: the how-manieth change of it this is
  base::json::TextMap tags = {};         // the stack's
  base::json::TextMap previous_tags = {};  // before this change of it
  std::vector<std::string> capabilities = {};  // that the stack's user has acknowledged
  std::string role = {};  // ARN, that the stack acts as; empty: none
  json::Value creation_policy = {};  // of the resource; null: none
  json::Object attributes = {};  // what GetAtt knew of the resource before this change of it
  bool may_repeat = false;  // a try before this one has an unknown outcome
  bool brings_back = false;  // to what was before the stack's operation `since`
  int64_t since = 0;         // a rollback would take back this operation of the stack and all behind it
};

class Step {
 public:
  explicit Step(StepScope scope) : scope_(std::move(scope)) {}
  virtual ~Step() = default;
  Step(const Step&) = delete;

  [[nodiscard]] const StepScope& scope() const { return scope_; }
  [[nodiscard]] const std::string& account() const { return scope_.account; }
  [[nodiscard]] const std::string& region() const { return scope_.region; }
  [[nodiscard]] std::string_view partition() const { return "aws"; }
  // "arn:aws:sqs:us-east-1:123456789012:jobs"; `resource` is all behind the account.
  [[nodiscard]] std::string arn(std::string_view service, std::string_view resource) const;

  // Calls an operation by its name on behalf of the stack (wire/shape_document.h says what documents look like). Throws
  // wire::Error, which becomes the reason of the failure if the type lets it pass.
  virtual Task<json::Value> call(std::string service, std::string operation, json::Value document) = 0;
  // The same, and null where the error has this code or one of those that are given: for what may be gone already.
  Task<json::Value> call_or_null(std::string service, std::string operation, json::Value document,
                                 std::vector<std::string_view> codes);
  // Takes away what properties name, by an operation in which all else is of what stands. It succeeds where there is
  // nothing to take away: where the error has one of these codes, and where the service finds the request malformed.
  // What has such a name never was there: the removal and the way back from its refusal would stumble over it for ever.
  Task<void> take_away(std::string service, std::string operation, json::Value document,
                       std::vector<std::string_view> codes = {});

  // STACK-LOGICAL-RANDOM12 of at most `size_max` letters with `suffix` (".fifo") behind: for resources without a name of
  // the user's. The same for every try of one step, and another for the next change of the stack.
  [[nodiscard]] std::string physical_name(size_t size_max, NameLetters letters = NameLetters::mixed,
                                          std::string_view suffix = {}) const;
  // A UUID, likewise; `purpose` tells several of one step apart.
  [[nodiscard]] std::string client_token(std::string_view purpose = {}) const;
  // What client_token() is of this resource in another operation of the stack.
  [[nodiscard]] std::string client_token_of(int64_t operation) const;

  // A try before this one may have done its work, or a part of it.
  [[nodiscard]] bool may_repeat() const { return scope_.may_repeat; }

  // Records the physical id durably, before the rest is done: create() calls it as soon as there is something to
  // remove if what follows fails. Not needed where nothing follows.
  virtual Task<void> made(std::string id) = 0;

  // What a try before this one has left itself, null if nothing; and leaves it, durably.
  [[nodiscard]] virtual json::Value memory() const = 0;
  virtual Task<void> remember(json::Value value) = 0;

  // What this resource's type has noted for the way back, an object, null if nothing; and notes it, durably, in the
  // place of what it had noted. Unlike memory() it outlives the step: it is there for whatever takes back the operation
  // that noted it or those behind that (scope().since), and for a removal. Nobody takes back what is not of a stack.
  [[nodiscard]] virtual json::Value noted() const { return {}; }
  virtual Task<void> note(json::Value) { co_return; }

  // Waits until `done` says so, by the platform's clock: asks at once, and then at growing distances of at most five
  // seconds. False: `most` has passed. Throws Cancelled.
  virtual Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration most) = 0;
  // The same, woken by a topic of the store instead.
  virtual Task<bool> wait_for_topic(std::string topic, std::function<Task<bool>()> done, base::Duration most) = 0;

  // What GetAtt gives of the resource is hidden wherever properties are shown (NoEcho of a custom resource's answer).
  void hide_attributes() { hides_attributes_ = true; }
  [[nodiscard]] bool hides_attributes() const { return hides_attributes_; }

  // For what does not go by operations: presigned URLs, records of this service.
  [[nodiscard]] virtual wire::Context& context() = 0;

 private:
  StepScope scope_;
  bool hides_attributes_ = false;
};

}  // namespace tidemill::cloudformation
