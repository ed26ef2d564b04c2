// What states share, and Pass, Task, Wait, Succeed, Fail and Parallel.
#include <algorithm>

#include "base/text.h"
#include "lang/states/compile.h"
#include "lang/states/timestamp.h"

namespace tidemill::lang::states {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kCommon[] = {"Type", "Comment", "QueryLanguage"};
constexpr std::string_view kPass[] = {"InputPath", "OutputPath", "Result", "ResultPath", "Parameters",
                                      "Output",    "Assign",     "Next",   "End"};
constexpr std::string_view kTask[] = {
    "InputPath",      "OutputPath",         "ResultPath",       "Parameters",           "Arguments", "Output",
    "Assign",         "Resource",           "Credentials",      "ResultSelector",       "Retry",     "Catch",
    "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath", "Next",      "End"};
constexpr std::string_view kWait[] = {"InputPath", "OutputPath",  "Output",        "Assign", "Seconds",
                                      "Timestamp", "SecondsPath", "TimestampPath", "Next",   "End"};
constexpr std::string_view kParallel[] = {
    "InputPath",      "OutputPath", "ResultPath", "Parameters", "Arguments", "Output", "Assign",
    "ResultSelector", "Retry",      "Catch",      "Branches",   "Next",      "End"};
constexpr std::string_view kMap[] = {"InputPath",
                                     "OutputPath",
                                     "ResultPath",
                                     "Parameters",
                                     "Output",
                                     "Assign",
                                     "ResultSelector",
                                     "Retry",
                                     "Catch",
                                     "ItemProcessor",
                                     "Iterator",
                                     "ItemsPath",
                                     "Items",
                                     "ItemSelector",
                                     "ItemReader",
                                     "ItemBatcher",
                                     "ResultWriter",
                                     "MaxConcurrency",
                                     "MaxConcurrencyPath",
                                     "ToleratedFailurePercentage",
                                     "ToleratedFailurePercentagePath",
                                     "ToleratedFailureCount",
                                     "ToleratedFailureCountPath",
                                     "Label",
                                     "Next",
                                     "End"};
constexpr std::string_view kChoice[] = {"InputPath", "OutputPath", "Output", "Assign", "Choices", "Default"};
constexpr std::string_view kSucceed[] = {"InputPath", "OutputPath", "Output"};
constexpr std::string_view kFail[] = {"Error", "Cause", "ErrorPath", "CausePath"};

constexpr std::string_view kOnlyJsonpath[] = {"InputPath",
                                              "OutputPath",
                                              "ResultPath",
                                              "Parameters",
                                              "ResultSelector",
                                              "Result",
                                              "ItemsPath",
                                              "SecondsPath",
                                              "TimestampPath",
                                              "TimeoutSecondsPath",
                                              "HeartbeatSecondsPath",
                                              "ErrorPath",
                                              "CausePath",
                                              "MaxConcurrencyPath",
                                              "ToleratedFailureCountPath",
                                              "ToleratedFailurePercentagePath"};
constexpr std::string_view kOnlyJsonata[] = {"Arguments", "Output", "Items"};

struct TypeName {
  std::string_view name;
  StateType type;
  Names fields;
};
constexpr TypeName kTypes[] = {
    {"Task", StateType::task, kTask},
    {"Pass", StateType::pass, kPass},
    {"Choice", StateType::choice, kChoice},
    {"Wait", StateType::wait, kWait},
    {"Succeed", StateType::succeed, kSucceed},
    {"Fail", StateType::fail, kFail},
    {"Parallel", StateType::parallel, kParallel},
    {"Map", StateType::map, kMap},
};

void refuse_other_language(const Fields& fields) {
  const bool is_jsonata = fields.is_jsonata();
  const Names refused = is_jsonata ? Names(kOnlyJsonpath) : Names(kOnlyJsonata);
  for (const std::string_view name : refused) {
    if (!fields.has(name)) continue;
    fields.refuse(base::cat("The QueryLanguage is set to '", is_jsonata ? "JSONata" : "JSONPath", "', but field '",
                            name, "' is only supported for the '", is_jsonata ? "JSONPath" : "JSONata",
                            "' QueryLanguage"));
  }
}

void read_next(State& state, const Fields& fields) {
  if (state.type == StateType::succeed || state.type == StateType::fail) {
    state.is_end = true;
    return;
  }
  if (state.type == StateType::choice) return;
  if (const std::string* const next = fields.string("Next")) state.next = *next;
  state.is_end = fields.boolean("End").value_or(false);
  if (fields.has("Next") && state.is_end) {
    fields.refuse("There should only be one of the following fields: [Next, End]");
  } else if (!fields.has("Next") && !state.is_end) {
    fields.refuse("This object should have only one of the following fields: [Next, End]");
  }
}

}  // namespace

std::string_view name_of(StateType type) { return std::ranges::find(kTypes, type, &TypeName::type)->name; }

QueryLanguage Compiler::language_of(const json::Object& source, const std::string& location) {
  const Fields fields(source, {.language = language_, .location = location, .field = ""}, report_);
  const json::Value* const said = fields.get("QueryLanguage");
  if (!said) return language_;
  (void)fields.one_of("QueryLanguage", {"JSONPath", "JSONata"});
  const bool is_jsonpath = said->is_string() && said->string() == "JSONPath";
  if (is_jsonpath && language_ == QueryLanguage::jsonata) {
    fields.refuse("'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine");
  }
  return is_jsonpath ? QueryLanguage::jsonpath : QueryLanguage::jsonata;
}

std::unique_ptr<State> Compiler::compile_state(std::string_view name, const json::Value& source,
                                               const std::string& location) {
  if (!names_.emplace(name).second) {
    report_.error("DUPLICATE_STATE_NAME", base::cat("Duplicate State name: ", name), location);
  }
  if (!source.is_object()) {
    report_.schema("Expected value of type Object", location);
    return nullptr;
  }
  auto state = std::make_unique<State>();
  state->name = name;
  state->location = location;
  state->query_language = language_of(source.object(), location);
  const Fields fields(source.object(), {.language = state->query_language, .location = location, .field = ""}, report_);
  const std::string* const type = fields.string("Type");
  if (!type) {
    fields.require({"Type"});
    return nullptr;
  }
  const auto* const known = std::ranges::find(kTypes, *type, &TypeName::name);
  if (known == std::end(kTypes)) {
    fields.refuse("Type",
                  "Value should be one of the following: [Task, Pass, Choice, Wait, Succeed, Fail, Parallel, Map]");
    return nullptr;
  }
  state->type = known->type;
  fields.allow({kCommon, known->fields});
  refuse_other_language(fields);
  (void)fields.string("Comment");
  read_next(*state, fields);

  auto program = std::make_unique<Program>();
  compile_common(*state, *program, fields);
  state->retriers = program->retriers.size();
  state->catchers = program->catchers.size();
  // Before the states within it report what they read.
  const std::set<std::string> variables = report_.take_variables();
  if (!variables.empty()) references_[state->name].assign(variables.begin(), variables.end());
  if (state->type == StateType::parallel) compile_parallel(*state, fields);
  if (state->type == StateType::map) compile_processor(*state, fields);
  state->program = std::move(program);
  return state;
}

void Compiler::compile_common(State& state, Program& program, const Fields& fields) {
  if (!fields.is_jsonata()) {
    program.input_path = fields.path_field("InputPath", false);
    program.output_path = fields.path_field("OutputPath", false);
    program.result_path = fields.path_field("ResultPath", true);
    if (state.type != StateType::map) program.parameters = fields.payload("Parameters");
    if (fields.object("ResultSelector")) program.result_selector = fields.payload("ResultSelector");
  } else {
    program.parameters = fields.payload("Arguments");
    program.output = fields.payload("Output");
  }
  program.assign = fields.assign();
  program.retriers = compile_retriers(fields);
  program.catchers = compile_catchers(fields);
  switch (state.type) {
    case StateType::pass:
      if (const json::Value* const result = fields.get("Result")) program.result = make_document(*result);
      break;
    case StateType::task:
      compile_task(state, program, fields);
      break;
    case StateType::wait:
      compile_wait(program, fields);
      break;
    case StateType::fail:
      program.error = fields.text_scalar("Error", true);
      program.cause = fields.text_scalar("Cause", true);
      break;
    case StateType::choice:
      compile_choices(program, fields);
      break;
    case StateType::map:
      compile_map(state, program, fields);
      break;
    default:
      break;
  }
}

void Compiler::compile_task(State& state, Program& program, const Fields& fields) {
  fields.require({"Resource"});
  if (const std::string* const resource = fields.string("Resource")) {
    state.resource = *resource;
    check_resource(state, fields);
  }
  program.timeout = fields.integer_scalar("TimeoutSeconds", 1, kSecondsMax);
  program.heartbeat = fields.integer_scalar("HeartbeatSeconds", 1, kSecondsMax);
  const auto literal = [](const Scalar& scalar) {
    return scalar.literal && !scalar.query ? scalar.literal->to_int64() : std::nullopt;
  };
  const auto heartbeat = literal(program.heartbeat);
  const auto timeout = program.timeout.given() ? literal(program.timeout) : std::optional(kTimeoutSecondsDefault);
  if (heartbeat && timeout && *heartbeat >= *timeout) {
    fields.refuse("HeartbeatSeconds", "'HeartbeatSeconds' must be smaller than 'TimeoutSeconds'");
  }
  const json::Object* const credentials = fields.object("Credentials");
  if (!credentials) return;
  const Fields within(*credentials, fields.place().member("Credentials"), report_);
  if (!within.has("RoleArn") && !within.has("RoleArn.$")) {
    within.refuse("The field 'RoleArn' is required but was missing");
  } else if (within.has("RoleArn.$") && !within.is_jsonata()) {
    auto path = compile_path_value(*within.get("RoleArn.$"), "RoleArn.$", within.place().location, report_);
    if (path) program.role_arn = {.field = "RoleArn.$", .path = std::move(path)};
  } else {
    program.role_arn = within.scalar("RoleArn");
    if (!program.role_arn.query) (void)within.string("RoleArn");
  }
}

void Compiler::check_resource(const State& state, const Fields& fields) {
  const std::string_view resource = state.resource;
  if (!resource.starts_with("arn:") || std::ranges::count(resource, ':') < 5) {
    fields.refuse("Resource", "Value is not a valid resource ARN");
    return;
  }
  if (options_.is_express) {
    for (const std::string_view pattern : {".sync", ".waitForTaskToken"}) {
      const bool has_it = resource.ends_with(pattern) || (pattern == ".sync" && resource.ends_with(".sync:2"));
      if (has_it) {
        fields.refuse("Resource",
                      base::cat("Express state machine does not support '", pattern, "' service integration "));
      }
    }
    if (resource.find(":activity:") != std::string_view::npos) {
      fields.refuse("Resource", "Express state machine does not support Activity ARN");
    }
  }
  if (!options_.rule_of) return;
  const std::string_view name = fields.is_jsonata() ? "Arguments" : "Parameters";
  const json::Value* const arguments = fields.get(name);
  const ResourceRule rule = options_.rule_of(resource, arguments);
  if (!rule.is_known) {
    constexpr std::string_view kUnknown =
        " is not recognized. The value is not a valid resource ARN, or the resource is not available in this region.";
    fields.refuse("Resource",
                  rule.refusal.empty() ? base::cat("The resource provided ", resource, kUnknown) : rule.refusal);
    return;
  }
  if (!arguments && rule.needs_arguments) {
    fields.refuse(base::cat(name, " field is required for resource ARN: ", resource));
  }
  if (!rule.arguments_problem.empty()) fields.refuse(name, rule.arguments_problem);
  if (!arguments || !arguments->is_object()) return;
  for (const std::string& required : rule.required) {
    if (!arguments->find(required) && (fields.is_jsonata() || !arguments->find(required + ".$"))) {
      fields.refuse(name, base::cat("The field '", required, "' is required but was missing"));
    }
  }
}

void Compiler::compile_wait(Program& program, const Fields& fields) {
  const bool is_clear = fields.is_jsonata()
                            ? fields.exactly_one({"Seconds", "Timestamp"})
                            : fields.exactly_one({"SecondsPath", "Seconds", "TimestampPath", "Timestamp"});
  if (!is_clear) return;
  program.seconds = fields.integer_scalar("Seconds", 0, kSecondsMax);
  program.timestamp = fields.text_scalar("Timestamp", false);
  const Document& literal = program.timestamp.literal;
  if (literal && !program.timestamp.query && literal->is_string() && !parse_timestamp(literal->string())) {
    fields.refuse("Timestamp", "String does not match RFC3339 timestamp");
  }
}

void Compiler::compile_parallel(State& state, const Fields& fields) {
  fields.require({"Branches"});
  const json::Array* const branches = fields.array("Branches");
  if (!branches) return;
  if (branches->empty()) fields.refuse("Branches", "Value cannot be empty");
  for (size_t i = 0; i < branches->size(); ++i) {
    const std::string location = fields.place().member("Branches").element(i).location;
    if (!(*branches)[i].is_object()) {
      report_.schema("Expected value of type Object", location);
      continue;
    }
    const Fields branch((*branches)[i].object(), {.language = language_, .location = location, .field = ""}, report_);
    static constexpr std::string_view kBranch[] = {"StartAt", "States", "Comment"};
    branch.allow({kBranch});
    auto flow = compile_flow((*branches)[i].object(), location, &state);
    if (flow) state.branches.push_back(std::move(flow));
  }
}

}  // namespace tidemill::lang::states
