#include "engine/workers/worker_runtimes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <set>
#include <tuple>

#include "base/text.h"
#include "engine/embedded_runtimes.h"
#include "engine/workers/supervisor_program.h"

namespace tidemill::engine {
using base::cat;
namespace {

namespace fs = std::filesystem;

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// A real program, not a script that stands in for one (pyenv's and nvm's shims start slowly and choose by directory).
bool is_program(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || ::access(path.c_str(), X_OK) != 0) return false;
  std::array<char, 4> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "\x7f" "ELF";
}

bool finds_boto3(const fs::path& python, int minor) {
  const fs::path prefix = python.parent_path().parent_path();
  const std::string version = cat("python3.", minor);
  std::error_code error;
  for (const fs::path& packages : {prefix / "lib/python3/dist-packages", prefix / "lib" / version / "site-packages",
                                   prefix / "local/lib" / version / "dist-packages"}) {
    if (fs::is_directory(packages / "boto3", error)) return true;
  }
  return false;
}

std::optional<Interpreter> as_python(const fs::path& path) {
  std::string name = path.filename();
  if (!name.starts_with("python3.")) return std::nullopt;
  std::string_view rest = std::string_view(name).substr(8);
  const auto minor = take_number(rest);
  if (!minor || !rest.empty() || !is_program(path)) return std::nullopt;
  return Interpreter{Language::python, 3, *minor, path, finds_boto3(path, *minor)};
}

// What the headers that come with node say; 0 if they are not there.
int node_major_from_headers(const fs::path& node) {
  std::error_code error;
  const fs::path program = fs::canonical(node, error);
  std::ifstream header(program.parent_path().parent_path() / "include/node/node_version.h");
  constexpr std::string_view kMark = "#define NODE_MAJOR_VERSION ";
  for (std::string line; std::getline(header, line);) {
    if (!line.starts_with(kMark)) continue;
    std::string_view rest = std::string_view(line).substr(kMark.size());
    return take_number(rest).value_or(0);
  }
  return 0;
}

// What it says itself. Takes as long as node takes to start.
int node_major_from_running(const fs::path& node) {
  FILE* pipe = ::popen(cat("'", node.string(), "' --version 2>/dev/null").c_str(), "r");
  if (!pipe) return 0;
  std::array<char, 64> text{};
  const size_t size = std::fread(text.data(), 1, text.size() - 1, pipe);
  ::pclose(pipe);
  std::string_view rest(text.data(), size);
  if (!rest.starts_with("v")) return 0;
  rest.remove_prefix(1);
  return take_number(rest).value_or(0);
}

std::vector<fs::path> directories(std::string_view search_path) {
  std::vector<fs::path> result{"/usr/bin"};
  while (!search_path.empty()) {
    const size_t colon = std::min(search_path.find(':'), search_path.size());
    const fs::path directory(search_path.substr(0, colon));
    if (directory.is_absolute() && std::ranges::find(result, directory) == result.end()) result.push_back(directory);
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
  }
  return result;
}

void write_if_different(const fs::path& path, std::string_view text) {
  std::string present(text.size() + 1, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(present.data(), static_cast<std::streamsize>(present.size()));
  present.resize(static_cast<size_t>(in.gcount()));
  if (present == text) return;
  fs::create_directories(path.parent_path());
  const fs::path fresh = path.string() + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw fs::filesystem_error("cannot write", fresh, std::make_error_code(std::errc::io_error));
  fs::rename(fresh, path);
}

}  // namespace

std::string Interpreter::describe() const {
  if (language == Language::python) return cat("python", major, ".", minor, " (", path.string(), ")");
  return major ? cat("nodejs", major, ".x (", path.string(), ")") : cat("nodejs (", path.string(), ")");
}

std::optional<RuntimeName> RuntimeName::parse(std::string_view runtime) {
  if (runtime == "provided" || runtime == "provided.al2" || runtime == "provided.al2023") return RuntimeName{};
  if (runtime.starts_with("python3.")) {
    runtime.remove_prefix(8);
    const auto minor = take_number(runtime);
    if (!minor || !runtime.empty()) return std::nullopt;
    return RuntimeName{Language::python, 3, *minor};
  }
  if (runtime.starts_with("nodejs")) {
    runtime.remove_prefix(6);
    const auto major = take_number(runtime);
    if (!major || runtime != ".x") return std::nullopt;
    return RuntimeName{Language::nodejs, *major, 0};
  }
  return std::nullopt;
}

const std::vector<Interpreter>& HostRuntimes::interpreters() const {
  std::call_once(looked_, [this] { look(); });
  return interpreters_;
}

void HostRuntimes::look() const {
  std::set<fs::path> seen;
  for (const fs::path& directory : directories(search_path_)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("python3.") && name != "node" && name != "nodejs") continue;
      const fs::path program = fs::canonical(entry.path(), error);
      if (error || seen.contains(program)) continue;
      if (auto python = as_python(entry.path())) {
        interpreters_.push_back(*python);
        seen.insert(program);
      } else if (!name.starts_with("python") && is_program(program)) {
        int major = node_major_from_headers(program);
        if (major == 0 && strict_) major = node_major_from_running(program);
        interpreters_.push_back({Language::nodejs, major, 0, entry.path(), false});
        seen.insert(program);
      }
    }
  }
  std::ranges::sort(interpreters_, {}, [](const Interpreter& interpreter) {
    return std::tuple(interpreter.language, interpreter.major, interpreter.minor, interpreter.path);
  });
}

void HostRuntimes::install(const fs::path& directory) {
  directory_ = directory;
  write_if_different(directory / "python3/bootstrap.py", kPython3Bootstrap);
  write_if_different(directory / "nodejs/bootstrap.mjs", kNodejsBootstrap);
  write_if_different(directory / "supervisor", supervisor_program());
  fs::permissions(directory / "supervisor", fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
}

// The version that was asked for, or else the newest that can import boto3, as on AWS; or else the newest.
const Interpreter* HostRuntimes::choose(const RuntimeName& name) const {
  const auto merit = [&](const Interpreter& candidate) {
    const bool exact = candidate.major == name.major && candidate.minor == name.minor;
    return std::tuple(exact, candidate.has_boto3, candidate.major, candidate.minor);
  };
  const Interpreter* best = nullptr;
  for (const Interpreter& candidate : interpreters()) {
    if (candidate.language != name.language) continue;
    if (!best || merit(candidate) > merit(*best)) best = &candidate;
  }
  return best;
}

std::string HostRuntimes::list() const {
  std::string text = "provided.al2023";
  for (const Interpreter& interpreter : interpreters()) text += ", " + interpreter.describe();
  return text;
}

std::expected<Launch, std::string> HostRuntimes::resolve(std::string_view runtime) const {
  const auto name = RuntimeName::parse(runtime);
  if (!name) {
    return std::unexpected(cat("The runtime ", runtime, " is not supported: python3.*, nodejs*.x and provided.* are. On "
                               "this host: ", list(), "."));
  }
  if (name->language == Language::provided) return Launch{*name, std::nullopt, "", directory_ / "supervisor"};
  const Interpreter* interpreter = choose(*name);
  const std::string_view language = name->language == Language::python ? "Python" : "Node.js";
  if (!interpreter) {
    return std::unexpected(cat("The runtime ", runtime, " needs ", language, ", which is not on this host. On this host: ",
                               list(), "."));
  }
  const bool exact = interpreter->major == name->major && interpreter->minor == name->minor;
  if (strict_ && !exact) {
    return std::unexpected(cat("The runtime ", runtime, " needs that version of ", language,
                               " on this host, as --strict-runtimes asks. On this host: ", list(), "."));
  }
  return Launch{*name, *interpreter,
                directory_ / (name->language == Language::python ? "python3/bootstrap.py" : "nodejs/bootstrap.mjs"),
                directory_ / "supervisor"};
}

}  // namespace tidemill::engine
