// The machine: its text, its flows, and where its transitions lead.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "lang/states/compile.h"

namespace tidemill::lang::states {

namespace {

constexpr std::string_view kMachine[] = {"Comment", "QueryLanguage", "StartAt", "TimeoutSeconds", "Version", "States"};
constexpr int kDefinitionDepthMax = 200;
constexpr size_t kSourceExcerptMax = 500;  // characters of the definition that a diagnostic shows

bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// "[Source: (String)"…"; line: 1, column: 4]"
std::string place_in(std::string_view text, size_t at) {
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  const size_t line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  std::string excerpt(text.substr(0, kSourceExcerptMax));
  if (text.size() > kSourceExcerptMax) excerpt += base::cat("[truncated ", text.size() - kSourceExcerptMax, " chars]");
  return base::cat("[Source: (String)\"", excerpt, "\"; line: ", lines + 1, ", column: ", at - line_start + 1, "]");
}

// In the words of the JSON parser that AWS uses.
void report_syntax(std::string_view text, const json::ParseError& error, Report& report) {
  const size_t at = std::min(error.offset, text.size());
  size_t end = at;
  while (end < text.size() && is_token(text[end])) ++end;
  const std::string_view token = text.substr(at, end - at);
  const bool is_word = !token.empty() && !(token[0] >= '0' && token[0] <= '9');
  const std::string location = place_in(text, is_word ? end : at);
  std::string what = "Unexpected end-of-input";
  if (is_word) {
    what = base::cat("Unrecognized token '", token,
                     "': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')");
  } else if (at < text.size()) {
    what = base::cat("Unexpected character ('", text[at], "' (code ", static_cast<int>(static_cast<uint8_t>(text[at])),
                     ")): ", error.message);
  }
  report.error("INVALID_JSON_DESCRIPTION", base::cat(what, "\n at ", location), location);
}

// Null: `report` says why.
std::optional<json::Object> read_object(std::string_view text, Report& report) {
  if (text.size() > kDefinitionBytesMax) {
    report.schema("Definition is longer than 1048576 bytes", "");
    return std::nullopt;
  }
  auto value = json::parse(text, kDefinitionDepthMax);
  const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (!value && !is_blank) {
    report_syntax(text, value.error(), report);
    return std::nullopt;
  }
  if (is_blank || !value->is_object()) {
    report.schema("Definition must be a valid JSON object", "");
    return std::nullopt;
  }
  return std::move(value->object());
}

std::string place_of(const Transition& transition) {
  switch (transition.kind) {
    case Transition::Kind::next:
      return "/Next";
    case Transition::Kind::choice:
      return base::cat("/Choices[", transition.index, "]/Next");
    case Transition::Kind::otherwise:
      return "/Default";
    case Transition::Kind::caught:
      return base::cat("/Catch[", transition.index, "]/Next");
  }
  return "";
}

bool has_end(const Flow& flow) {
  return std::ranges::any_of(flow.states(), [](const std::unique_ptr<State>& state) { return state->is_end; });
}

}  // namespace

std::unique_ptr<const Flow> Compiler::compile_flow(const json::Object& source, const std::string& location,
                                                   const State* owner) {
  const Fields fields(source, {.language = language_, .location = location, .field = ""}, report_);
  // The machine's own place is "/", below which nothing is doubled.
  const Fields at_root(source, {.language = language_, .location = location.empty() ? "/" : location, .field = ""},
                       report_);
  at_root.require({"States", "StartAt"});
  const std::string* const start_at = fields.string("StartAt");
  const json::Object* const sources = fields.object("States");
  if (!sources) return nullptr;
  if (sources->empty()) fields.refuse("States", "Value cannot be empty");
  std::vector<std::unique_ptr<State>> states;
  for (const auto& [name, state_source] : *sources) {
    const std::string place = base::cat(location, "/States/", name);
    const auto characters =
        std::ranges::count_if(name, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; });
    if (static_cast<size_t>(characters) > kStateNameCharactersMax) {
      report_.schema(base::cat("State name '", name, "' is longer than 80 characters"), place);
    }
    auto state = compile_state(name, state_source, place);
    if (state) states.push_back(std::move(state));
  }
  if (!start_at) return nullptr;
  const bool is_whole = states.size() == sources->size();
  auto flow = std::make_unique<const Flow>(*start_at, std::move(states), owner);
  // A state that is no state hides where it leads.
  if (is_whole) check_transitions(*flow, *start_at, location, report_);
  return flow;
}

void check_transitions(const Flow& flow, std::string_view start_at, const std::string& location, Report& report) {
  const auto missing = [&](std::string_view target, std::string place) {
    report.error("MISSING_TRANSITION_TARGET", base::cat("Missing 'Next' target: ", target), std::move(place));
  };
  if (!flow.find(start_at)) missing(start_at, location + "/StartAt");
  for (const std::unique_ptr<State>& state : flow.states()) {
    for (const Transition& transition : transitions_of(*state)) {
      if (!flow.find(transition.target)) missing(transition.target, state->location + place_of(transition));
    }
  }
  // Of the machine itself, and of nothing within it, AWS wants an end; without one it says nothing more.
  if (!flow.owner() && !has_end(flow)) {
    report.error("MISSING_END_STATE", "Workflow has no terminal state", "");
    return;
  }
  std::set<const State*> reached;
  std::vector<const State*> waiting;
  const auto reach = [&](const State* state) {
    if (state && reached.insert(state).second) waiting.push_back(state);
  };
  reach(flow.find(start_at));
  while (!waiting.empty()) {
    const State* const state = waiting.back();
    waiting.pop_back();
    for (const Transition& transition : transitions_of(*state)) reach(flow.find(transition.target));
  }
  for (const std::unique_ptr<State>& state : flow.states()) {
    if (reached.contains(state.get())) continue;
    report.error("MISSING_TRANSITION_TARGET", base::cat("State \"", state->name, "\" is not reachable."),
                 state->location);
  }
}

ParsedMachine parse_machine(std::string_view text, const ParseOptions& options) {
  Report report;
  const std::optional<json::Object> source = read_object(text, report);
  if (!source) return {.diagnostics = report.take()};
  const Fields fields(*source, {}, report);
  const Fields at_root(*source, {.location = "/"}, report);
  at_root.allow({kMachine});
  const json::Value* const said = fields.get("QueryLanguage");
  (void)fields.one_of("QueryLanguage", {"JSONPath", "JSONata"});
  const bool is_jsonpath = !said || (said->is_string() && said->string() == "JSONPath");
  const QueryLanguage language = is_jsonpath ? QueryLanguage::jsonpath : QueryLanguage::jsonata;
  (void)fields.one_of("Version", {"1.0"});
  const std::string* const comment = fields.string("Comment");
  const auto timeout = fields.integer("TimeoutSeconds", 0, kSecondsMax);
  Compiler compiler(options, language, report);
  auto flow = compiler.compile_flow(*source, "", nullptr);
  if (report.has_errors() || !flow) return {.diagnostics = report.take()};
  auto machine = std::make_shared<const Machine>(std::move(flow), language, timeout, comment ? *comment : "",
                                                 compiler.take_references());
  return {.machine = std::move(machine), .diagnostics = report.take()};
}

ParsedMachine parse_state(std::string_view text, std::string_view name, const ParseOptions& options) {
  Report report;
  const std::optional<json::Object> source = read_object(text, report);
  if (!source) return {.diagnostics = report.take()};
  Compiler compiler(options, QueryLanguage::jsonpath, report);
  auto state = compiler.compile_state(name, *source, "");
  if (report.has_errors() || !state) return {.diagnostics = report.take()};
  const QueryLanguage language = state->query_language;
  std::vector<std::unique_ptr<State>> states;
  states.push_back(std::move(state));
  auto flow = std::make_unique<const Flow>(std::string(name), std::move(states), nullptr);
  auto machine =
      std::make_shared<const Machine>(std::move(flow), language, std::nullopt, "", compiler.take_references());
  return {.machine = std::move(machine), .diagnostics = report.take()};
}

}  // namespace tidemill::lang::states
