#include "engine/workers/worker_runtimes.h"

#include <algorithm>
#include <fstream>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"
#include "engine/embedded_runtimes.h"
#include "engine/workers/host_program.h"
#include "engine/workers/java_trust_store.h"
#include "engine/workers/sandbox_etc.h"
#include "engine/workers/supervisor_program.h"

namespace tidemill::engine {
using base::cat;
namespace {

namespace fs = std::filesystem;

constexpr int kLevelsAboveMax = 4;  // of build/release/tidemill there are two up to the source tree's

// Where scripts/dependencies puts them: runtimes/nodejs/ of the source tree that the server was built in, or of a directory
// above its own, and where an installed server has what belongs to it. Empty: nowhere.
fs::path find_node_modules() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> candidates;
  fs::path above = program.parent_path();
  for (int level = 0; level < kLevelsAboveMax && above.has_relative_path(); ++level, above = above.parent_path()) {
    candidates.push_back(above / "runtimes/nodejs/node_modules");
  }
  for (const char* prefix : {"/usr/local", "/usr"}) {
    candidates.push_back(fs::path(prefix) / "share/tidemill/runtimes/nodejs/node_modules");
  }
  const auto found = std::ranges::find_if(candidates, [&](const fs::path& candidate) {
    return fs::is_directory(candidate / "@aws-sdk", error);
  });
  return found == candidates.end() ? fs::path() : *found;
}

constexpr const char* kSystemAuthorities = "/etc/ssl/certs/ca-certificates.crt";  // Debian's
// Who functions in a sandbox are (sandbox.cc).
constexpr std::string_view kPasswd = "sbx_user1051:x:993:990::/tmp:/usr/sbin/nologin\n";
constexpr std::string_view kGroup = "sbx_user1051:x:990:\n";

// What a process of the language is started with, below the directory of the bootstraps.
std::string_view bootstrap_of(Language language) {
  switch (language) {
    case Language::python: return "python3/bootstrap.py";
    case Language::nodejs: return "nodejs/bootstrap.mjs";
    case Language::ruby: return "ruby/bootstrap.rb";
    case Language::java: return "java/start.sh";
    case Language::provided: return "";
  }
  return "";
}

// Whether it was different.
bool write_if_different(const fs::path& path, std::string_view text) {
  std::string present(text.size() + 1, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(present.data(), static_cast<std::streamsize>(present.size()));
  present.resize(static_cast<size_t>(in.gcount()));
  if (present == text) return false;
  fs::create_directories(path.parent_path());
  const fs::path fresh = path.string() + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw base::disk_error("cannot write", fresh);
  fs::rename(fresh, path);
  return true;
}

}  // namespace

const std::vector<Interpreter>& HostRuntimes::interpreters() const {
  const std::lock_guard lock(mutex_);
  if (!interpreters_) interpreters_ = find_interpreters(search_path_, strict_);
  return *interpreters_;
}

void HostRuntimes::install(const fs::path& directory) {
  directory_ = directory;
  bool java_differs = false;
  for (const EmbeddedFile& file : kBootstraps) {
    const bool differs = write_if_different(directory / file.path, file.text);
    java_differs |= differs && file.path.starts_with("java/");
  }
  // The first who needs the classes compiles them (start.sh), and may have been ended on the way.
  for (const auto& entry : fs::directory_iterator(directory / "java")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("fresh-") || (java_differs && name == "classes")) fs::remove_all(entry.path());
  }
  fs::permissions(directory / "java/start.sh", fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
  write_if_different(directory / "supervisor", supervisor_program());
  fs::permissions(directory / "supervisor", fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
}

void HostRuntimes::trust(std::string_view authorities) {
  const std::string of_system = base::text_if_any(kSystemAuthorities);
  write_if_different(directory_ / kAuthority, authorities);
  write_if_different(directory_ / kAuthorities, cat(of_system, authorities));
  has_authorities_ = true;
  // Where the system has no authorities of its own, Java may; and what it is given stands in their place.
  has_java_authorities_ = !of_system.empty();
  if (has_java_authorities_) write_if_different(directory_ / kJavaAuthorities, java_trust_store(cat(of_system, authorities)));
}

void HostRuntimes::furnish_sandboxes(std::string_view name_server) {
  std::string authorities;
  if (has_authorities_ && !name_server.empty()) authorities = base::read_file(directory_ / kAuthorities);
  make_sandbox_etc(directory_ / kSandboxEtc, {kPasswd, kGroup, name_server, authorities});
}

void HostRuntimes::link_node_modules(const Launch& launch, const fs::path& code) {
  const fs::path link = code.parent_path() / "node_modules";
  std::error_code error;
  const fs::path present = fs::read_symlink(link, error);
  if (error ? launch.node_modules.empty() : present == launch.node_modules) return;
  if (!error) fs::remove(link);
  if (launch.node_modules.empty()) return;
  fs::create_directory_symlink(launch.node_modules, link, error);
  if (error && error != std::errc::file_exists) throw fs::filesystem_error("cannot link", link, error);
}

bool HostRuntimes::may_mount() const {
  const std::lock_guard lock(mutex_);
  if (!may_mount_) {
    const fs::path supervisor = directory_ / "supervisor";
    may_mount_ = run_program({supervisor.string(), "--may-mount"}).code == 0;
  }
  return *may_mount_;
}

// The version that was asked for, or else the newest that can import boto3, as on AWS; or else the newest.
const Interpreter* HostRuntimes::choose(const RuntimeName& name) const {
  const auto merit = [&](const Interpreter& candidate) {
    return std::tuple(name.is(candidate), candidate.has_boto3, candidate.major, candidate.minor);
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
    return std::unexpected(cat("The runtime ", runtime, " is not supported: python3.*, nodejs*.x, ruby3.*, java* and "
                               "provided.* are. On this host: ", list(), "."));
  }
  if (name->language == Language::provided) {
    return Launch{*name, std::nullopt, "", directory_ / "supervisor", {}, has_authorities_, has_java_authorities_};
  }
  const Interpreter* interpreter = choose(*name);
  const std::string_view language = name_of(name->language);
  if (!interpreter) {
    const std::string_view what = name->language == Language::java ? ", with its compiler" : "";
    return std::unexpected(cat("The runtime ", runtime, " needs ", language, what, ", which is not on this host. On this "
                               "host: ", list(), "."));
  }
  if (strict_ && !name->is(*interpreter)) {
    return std::unexpected(cat("The runtime ", runtime, " needs that version of ", language,
                               " on this host, as --strict-runtimes asks. On this host: ", list(), "."));
  }
  Launch launch{*name, *interpreter, directory_ / bootstrap_of(name->language), directory_ / "supervisor", {},
                has_authorities_, has_java_authorities_};
  if (name->language == Language::nodejs) launch.node_modules = find_node_modules();
  return launch;
}

}  // namespace tidemill::engine
