// Which runtimes this host can run, and how a worker of one is started: the interpreters found on the host and our
// bootstraps for them, or the function's own `bootstrap`.
#pragma once

#include <expected>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::engine {

enum class Language { python, nodejs, provided };

struct Interpreter {
  Language language = Language::python;
  int major = 0;  // 0: not known before it runs
  int minor = 0;
  std::filesystem::path path;
  bool has_boto3 = false;

  [[nodiscard]] std::string describe() const;  // "python3.11 (/usr/bin/python3.11)"
};

// "python3.12", "nodejs20.x", "provided.al2023", understood; nothing for what AWS has no such name for or what
// Tidemill has no bootstrap for.
struct RuntimeName {
  Language language = Language::provided;
  int major = 0;
  int minor = 0;  // of Python; 0 else
  static std::optional<RuntimeName> parse(std::string_view runtime);
};

// What to execute for a worker: `interpreter` empty means the package's own bootstrap.
struct Launch {
  RuntimeName name;
  std::optional<Interpreter> interpreter;
  std::filesystem::path bootstrap;
  std::filesystem::path supervisor;
};

// Any thread, once installed.
class HostRuntimes {
 public:
  // Interpreters are those in /usr/bin and the directories of `search_path` ("a:b:c"), looked for when first asked for.
  // Starts no process, unless `strict`, which needs the exact version of node. Strict refuses a version that the host
  // lacks.
  HostRuntimes(std::string_view search_path, bool strict) : search_path_(search_path), strict_(strict) {}

  // Writes our bootstraps and the supervisor below `directory`, where launches then find them. Throws
  // std::filesystem::filesystem_error.
  void install(const std::filesystem::path& directory);

  // How to run `runtime`, or why not, with the list of what is there.
  [[nodiscard]] std::expected<Launch, std::string> resolve(std::string_view runtime) const;

  [[nodiscard]] const std::vector<Interpreter>& interpreters() const;

 private:
  void look() const;
  [[nodiscard]] std::string list() const;
  [[nodiscard]] const Interpreter* choose(const RuntimeName& name) const;

  const std::string search_path_;
  const bool strict_;
  std::filesystem::path directory_;
  mutable std::once_flag looked_;
  mutable std::vector<Interpreter> interpreters_;
};

}  // namespace tidemill::engine
