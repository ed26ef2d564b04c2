#include "engine/workers/worker_interpreters.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <set>
#include <sstream>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"
#include "engine/workers/host_program.h"

namespace tidemill::engine {
using base::cat;
using namespace std::string_view_literals;
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
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) base::throw_if_wanting({errno, std::generic_category()}, "cannot read", path);
  std::array<char, 4> magic{};
  return file.is_open() && ::read(file.fd(), magic.data(), magic.size()) == magic.size() &&
         std::string_view(magic.data(), magic.size()) == "\x7f" "ELF";
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
  std::istringstream header(base::text_if_any(program.parent_path().parent_path() / "include/node/node_version.h"));
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
  const std::string text = run_program({node.string(), "--version"}).output;
  std::string_view rest(text);
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

std::optional<Interpreter> as_ruby(const fs::path& path) {
  const std::string name = path.filename();
  if (!name.starts_with("ruby")) return std::nullopt;
  std::string_view rest = std::string_view(name).substr(4);
  const auto major = take_number(rest);
  if (!major || !rest.starts_with('.')) return std::nullopt;
  rest.remove_prefix(1);
  const auto minor = take_number(rest);
  if (!minor || !rest.empty() || !is_program(path)) return std::nullopt;
  return Interpreter{Language::ruby, *major, *minor, path, false};
}

// By the file that stands in the home of each Java: JAVA_VERSION="17.0.15", "1.8.0_422".
int java_major(const fs::path& home) {
  std::istringstream release(base::text_if_any(home / "release"));
  constexpr std::string_view kMark = "JAVA_VERSION=\"";
  for (std::string line; std::getline(release, line);) {
    if (!line.starts_with(kMark)) continue;
    std::string_view rest = std::string_view(line).substr(kMark.size());
    if (rest.starts_with("1.")) rest.remove_prefix(2);
    return take_number(rest).value_or(0);
  }
  return 0;
}

std::optional<Interpreter> as_java(const fs::path& program) {
  if (program.filename() != "java" || !is_program(program) || !is_program(program.parent_path() / "javac")) {
    return std::nullopt;
  }
  return Interpreter{Language::java, java_major(program.parent_path().parent_path()), 0, program, false};
}

// None, if it is not there.
fs::directory_iterator entries_of(const fs::path& directory) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  base::throw_if_wanting(error, "cannot list", directory);
  return entries;
}

class Search {
 public:
  explicit Search(bool needs_versions) : needs_versions_(needs_versions) {}

  void look_in(const fs::path& directory) {
    for (const auto& entry : entries_of(directory)) take(entry.path());
  }

  // Each in a directory of its own: <directory>/java-17-openjdk-amd64/bin/java.
  void look_for_java_below(const fs::path& directory) {
    for (const auto& entry : entries_of(directory)) take(entry.path() / "bin/java");
  }

  std::vector<Interpreter> found() {
    std::ranges::sort(found_, {}, [](const Interpreter& interpreter) {
      return std::tuple(interpreter.language, interpreter.major, interpreter.minor, interpreter.path);
    });
    return std::move(found_);
  }

 private:
  void take(const fs::path& path) {
    const std::string name = path.filename();
    const bool is_candidate = name.starts_with("python3.") || name == "node" || name == "nodejs" || name == "java" ||
                              name.starts_with("ruby");
    std::error_code error;
    const fs::path program = is_candidate ? fs::canonical(path, error) : fs::path();
    if (!is_candidate || error || seen_.contains(program)) return;
    auto interpreter = understand(path, program);
    if (!interpreter) return;
    found_.push_back(*std::move(interpreter));
    seen_.insert(program);
  }

  [[nodiscard]] std::optional<Interpreter> understand(const fs::path& path, const fs::path& program) const {
    const std::string name = path.filename();
    if (name.starts_with("python3.")) return as_python(path);
    if (name.starts_with("ruby")) return as_ruby(path);
    if (name == "java") return as_java(program);
    if (!is_program(program)) return std::nullopt;
    int major = node_major_from_headers(program);
    if (major == 0 && needs_versions_) major = node_major_from_running(program);
    return Interpreter{Language::nodejs, major, 0, path, false};
  }

  const bool needs_versions_;
  std::set<fs::path> seen_;
  std::vector<Interpreter> found_;
};

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::python: return "Python";
    case Language::nodejs: return "Node.js";
    case Language::ruby: return "Ruby";
    case Language::java: return "Java";
    case Language::provided: return "a custom runtime";
  }
  return "";
}

std::string Interpreter::describe() const {
  switch (language) {
    case Language::python: return cat("python", major, ".", minor, " (", path.string(), ")");
    case Language::ruby: return cat("ruby", major, ".", minor, " (", path.string(), ")");
    case Language::java: return cat("java", major, " (", path.string(), ")");
    default: return major ? cat("nodejs", major, ".x (", path.string(), ")") : cat("nodejs (", path.string(), ")");
  }
}

std::optional<RuntimeName> RuntimeName::parse(std::string_view runtime) {
  if (runtime == "provided" || runtime == "provided.al2" || runtime == "provided.al2023") return RuntimeName{};
  // Java's have one more for each system that AWS runs them on.
  if (runtime == "java8.al2") return RuntimeName{Language::java, 8, 0};
  if (runtime.starts_with("java") && runtime.ends_with(".al2023")) runtime.remove_suffix(".al2023"sv.size());
  const auto take = [&](std::string_view text) {
    const bool begins = runtime.starts_with(text);
    if (begins) runtime.remove_prefix(text.size());
    return begins;
  };
  if (take("python3.")) {
    const auto minor = take_number(runtime);
    if (minor && runtime.empty()) return RuntimeName{Language::python, 3, *minor};
  } else if (take("nodejs")) {
    const auto major = take_number(runtime);
    if (major && runtime == ".x") return RuntimeName{Language::nodejs, *major, 0};
  } else if (runtime.starts_with("ruby3.") || runtime.starts_with("ruby4.")) {
    const int major = runtime["ruby"sv.size()] - '0';
    runtime.remove_prefix("ruby3."sv.size());
    const auto minor = take_number(runtime);
    if (minor && runtime.empty()) return RuntimeName{Language::ruby, major, *minor};
  } else if (take("java")) {
    const auto major = take_number(runtime);
    if (major && runtime.empty()) return RuntimeName{Language::java, *major, 0};
  }
  return std::nullopt;
}

std::vector<Interpreter> find_interpreters(std::string_view search_path, bool needs_versions) {
  Search search(needs_versions);
  for (const fs::path& directory : directories(search_path)) search.look_in(directory);
  search.look_for_java_below("/usr/lib/jvm");
  return search.found();
}

}  // namespace tidemill::engine
