// The interpreters of functions that this host has, and what the names of runtimes ask for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::engine {

enum class Language { python, nodejs, ruby, java, provided };

[[nodiscard]] std::string_view name_of(Language language);  // for people: "Node.js"

struct Interpreter {
  Language language = Language::python;
  int major = 0;  // 0: not known before it runs
  int minor = 0;  // of Python and Ruby; 0 else
  std::filesystem::path path;
  bool has_boto3 = false;

  [[nodiscard]] std::string describe() const;  // "python3.11 (/usr/bin/python3.11)"
};

// "python3.12", "nodejs20.x", "ruby3.3", "java21", "provided.al2023", understood; nothing for what AWS has no such name for or
// what Tidemill has no bootstrap for.
struct RuntimeName {
  Language language = Language::provided;
  int major = 0;
  int minor = 0;  // of Python and Ruby; 0 else

  static std::optional<RuntimeName> parse(std::string_view runtime);
  [[nodiscard]] bool is(const Interpreter& interpreter) const {
    return language == interpreter.language && major == interpreter.major && minor == interpreter.minor;
  }
};

// Those in /usr/bin, in the directories of `search_path` ("a:b:c") and, of Java, in /usr/lib/jvm, by language and version.
// Java counts where its compiler stands beside it, since the bootstrap comes as source. Starts no process, unless
// `needs_versions`, which asks a node that does not tell its version otherwise. Throws std::system_error for want of
// descriptors or processes.
[[nodiscard]] std::vector<Interpreter> find_interpreters(std::string_view search_path, bool needs_versions);

}  // namespace tidemill::engine
