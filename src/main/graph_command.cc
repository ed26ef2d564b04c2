#include "main/graph_command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "main/graph_dot.h"
#include "main/graph_trace.h"

extern char** environ;

namespace tidemill {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;
using base::cat;

constexpr std::string_view kUsage =
    "graph: tidemill graph MACHINE|EXECUTION [--output FILE] [--dot]; a machine's name or ARN, or an execution's ARN";
constexpr std::string_view kProgram = "dot";

std::string text_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : "";
}

class Drawer {
 public:
  Drawer(net::Loop& loop, const GraphOptions& options) : options_(options), client_(loop, options.client) {}

  Task<std::string> graph() {
    if (options_.what.contains(":express:")) throw std::runtime_error("executions of express machines have no history");
    if (options_.what.contains(":execution:")) co_return co_await graph_of_execution();
    const std::string arn = options_.what.starts_with("arn:") ? options_.what : co_await find_machine();
    const json::Value machine = co_await ask("DescribeStateMachine", {{"stateMachineArn", arn}});
    co_return dot_of(definition_of(machine), text_in(machine, "name"));
  }

 private:
  Task<json::Value> ask(std::string operation, json::Object request) {
    co_return co_await client_.call("states", "1.0", "AWSStepFunctions." + operation, request);
  }

  static json::Value definition_of(const json::Value& machine) {
    auto definition = json::parse(text_in(machine, "definition"));
    if (!definition) throw std::runtime_error("the machine's definition is not shown");
    return *std::move(definition);
  }

  Task<std::string> find_machine() {
    json::Object request;
    for (;;) {
      const json::Value page = co_await ask("ListStateMachines", request);
      for (const json::Value& machine : page.find("stateMachines")->array()) {
        if (text_in(machine, "name") == options_.what) co_return text_in(machine, "stateMachineArn");
      }
      const std::string token = text_in(page, "nextToken");
      if (token.empty()) throw std::runtime_error(cat("there is no state machine ", options_.what));
      request.set("nextToken", token);
    }
  }

  Task<std::string> graph_of_execution() {
    const json::Object named{{"executionArn", options_.what}};
    const json::Value description = co_await ask("DescribeExecution", named);
    const json::Value machine = co_await ask("DescribeStateMachineForExecution", named);
    const json::Array events = co_await history();
    const ExecutionTrace trace = trace_of(description, events);
    co_return dot_of(definition_of(machine), cat(text_in(description, "name"), ": ", trace.status), trace);
  }

  Task<json::Array> history() {
    json::Object request{{"executionArn", options_.what}, {"maxResults", 1000}, {"includeExecutionData", false}};
    json::Array events;
    for (;;) {
      json::Value page = co_await ask("GetExecutionHistory", request);
      for (json::Value& event : page.object().find("events")->array()) events.push_back(std::move(event));
      const std::string token = text_in(page, "nextToken");
      if (token.empty()) co_return events;
      request.set("nextToken", token);
    }
  }

  const GraphOptions& options_;
  ApiClient client_;
};

// A file that goes away.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) : path_(fs::temp_directory_path() / "tidemill-graph-XXXXXX") {
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw std::runtime_error(cat("graph: no temporary file: ", std::strerror(errno)));
    ::close(file);
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// graphviz writes to the file or, without one, to standard output.
void lay_out(const std::string& graph, const std::string& output) {
  const TemporaryFile input(graph);
  std::vector<std::string> words{std::string(kProgram), "-Tsvg", input.path()};
  if (!output.empty()) words.insert(words.end(), {"-o", output});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, kProgram.data(), nullptr, nullptr, arguments.data(), environ);
  if (error == ENOENT) {
    throw std::runtime_error(
        "graphviz, which lays graphs out, is not installed (Debian: apt-get install graphviz); "
        "--dot gives the graph as text");
  }
  if (error != 0) throw std::runtime_error(cat("graphviz does not start: ", std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("graphviz has failed");
}

void write_text(const std::string& graph, const std::string& output) {
  if (output.empty()) {
    std::fwrite(graph.data(), 1, graph.size(), stdout);
    return;
  }
  std::ofstream file(output);
  file << graph;
  if (!file.flush()) throw std::runtime_error(cat("cannot write ", output));
}

}  // namespace

GraphOptions parse_graph_options(std::span<const std::string_view> arguments, const Environment& environment) {
  GraphOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name == "--output")
      options.output = value();
    else if (name == "--dot")
      options.as_text = true;
    else if (!name.starts_with("-") && options.what.empty())
      options.what = name;
    else
      return false;
    return true;
  });
  go_to_region_of(options.what, options.client);
  if (options.what.empty()) throw UsageError(std::string(kUsage));
  return options;
}

int draw_graph(const GraphOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    Drawer drawer(loop, options);
    const std::string graph = co_await drawer.graph();
    if (options.as_text)
      write_text(graph, options.output);
    else
      lay_out(graph, options.output);
    co_return 0;
  });
}

}  // namespace tidemill
