#include "services/states/mock.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "services/states/errors.h"

namespace tidemill::states {
namespace {

using base::cat;
using errors::validation_exception;
namespace modes = wire::states::MockResponseValidationMode;

bool takes_mocks(asl::StateType type) {
  return type == asl::StateType::task || type == asl::StateType::parallel || type == asl::StateType::map;
}

void check_task(const json::Value& result, std::string_view mode, const asl::State& state,
                const tasks::Caller& caller) {
  const auto resource = tasks::parse_resource(state.resource);
  if (!resource || mode == modes::kNone) return;
  const std::string problem = caller.result_problem(*resource, result, mode == modes::kStrict);
  if (!problem.empty()) throw validation_exception(cat("Mock result schema validation error: ", problem));
}

void check_result(const json::Value& result, std::string_view mode, const asl::State& state,
                  const tasks::Caller& caller) {
  if (state.type == asl::StateType::task) return check_task(result, mode, state, caller);
  if (state.has_writer) {
    if (!result.is_object()) throw validation_exception("Mocked result must be a JSON object.");
    return;
  }
  if (!result.is_array()) throw validation_exception("Mocked result must be an array.");
  if (state.type == asl::StateType::parallel && result.array().size() != state.branches.size()) {
    throw validation_exception("Mocked result must contain the same number of items as number of Parallel branches.");
  }
}

enum class FieldKind { text, number, any };

struct Field {
  std::string_view name;
  FieldKind kind;
};
struct Part {
  std::string_view name;
  std::span<const Field> fields;
};

constexpr Field kExecution[] = {{"Id", FieldKind::text},         {"Input", FieldKind::any},
                                {"Name", FieldKind::text},       {"RoleArn", FieldKind::text},
                                {"StartTime", FieldKind::text},  {"RedriveCount", FieldKind::number},
                                {"RedriveTime", FieldKind::text}};
constexpr Field kState[] = {
    {"EnteredTime", FieldKind::text}, {"Name", FieldKind::text}, {"RetryCount", FieldKind::number}};
constexpr Field kStateMachine[] = {{"Id", FieldKind::text}, {"Name", FieldKind::text}};
constexpr Field kTask[] = {{"Token", FieldKind::text}};
constexpr Part kParts[] = {
    {"Execution", kExecution}, {"State", kState}, {"StateMachine", kStateMachine}, {"Task", kTask}};

wire::Error invalid_context(std::string_view why) {
  return validation_exception(cat("Invalid Context object provided: ", why));
}

void check_field(const Part& part, std::string_view name, const json::Value& value) {
  const auto field = std::ranges::find(part.fields, name, &Field::name);
  if (field == part.fields.end()) throw invalid_context(cat("Field '", name, "' is not allowed"));
  if (field->kind == FieldKind::text && !value.is_string()) {
    throw invalid_context(cat(part.name, ".", name, " must be a string"));
  }
  if (field->kind == FieldKind::number && !value.is_number()) {
    throw invalid_context(cat(part.name, ".", name, " must be a number"));
  }
}

}  // namespace

bool is_answered_later(const asl::State& state) {
  if (state.type != asl::StateType::task) return false;
  const auto resource = tasks::parse_resource(state.resource);
  return resource && resource->pattern != tasks::Pattern::request_response;
}

Mock mock_of(const wire::states::MockInput& mock, const asl::State& state, const tasks::Caller& caller) {
  if (mock.result.has_value() == mock.error_output.has_value()) {
    throw validation_exception("A test mock should have only one of the following fields: [result, errorOutput].");
  }
  if (!takes_mocks(state.type)) {
    throw validation_exception(
        cat("State type '", asl::name_of(state.type), "' is not supported when a mock is specified"));
  }
  if (mock.error_output) {
    const auto& output = *mock.error_output;
    asl::Failure failure{.error = output.error.value_or(""), .cause = output.cause.value_or("")};
    failure.has_error = output.error.has_value();
    failure.has_cause = output.cause.has_value();
    return failure;
  }
  auto result = json::parse(*mock.result);
  if (!result) throw validation_exception("Mocked result must be valid JSON.");
  check_result(*result, mock.field_validation_mode.value_or(std::string(modes::kStrict)), state, caller);
  return *std::move(result);
}

json::Value context_of_test(const std::string& text, const asl::State& state) {
  auto context = json::parse(text);
  if (!context || !context->is_object()) throw invalid_context("it must be a JSON object");
  for (const auto& [name, value] : context->object()) {
    if (name == "Map") throw invalid_context("'Map' field is not supported when mocking a Context object");
    const auto part = std::ranges::find(kParts, name, &Part::name);
    if (part == std::end(kParts)) throw invalid_context(cat("Field '", name, "' is not allowed"));
    if (!value.is_object()) throw invalid_context(cat(name, " must be an object"));
    if (name == "Task" && !is_answered_later(state)) {
      throw invalid_context(
          "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service "
          "integration pattern");
    }
    for (const auto& [field, inner] : value.object()) check_field(*part, field, inner);
  }
  return *std::move(context);
}

}  // namespace tidemill::states
