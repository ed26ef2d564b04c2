#include "engine/workers/sandbox_etc.h"

#include <array>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;

// What programs read of /etc; there are no secrets in it.
constexpr std::array<std::string_view, 20> kOfEtc{"alternatives",
                                                  "ca-certificates",
                                                  "ca-certificates.conf",
                                                  "gai.conf",
                                                  "host.conf",
                                                  "ld.so.cache",
                                                  "ld.so.conf",
                                                  "ld.so.conf.d",
                                                  "localtime",
                                                  "mime.types",
                                                  "networks",
                                                  "nsswitch.conf",
                                                  "pki",
                                                  "protocols",
                                                  "rpc",
                                                  "services",
                                                  "ssl/certs",
                                                  "timezone",
                                                  "ssl/openssl.cnf",
                                                  "python3"};
constexpr std::string_view kSystemAuthorities = "ssl/certs/ca-certificates.crt";  // Debian's

// With links as they are: they lead into /usr, or nowhere. What is not for everybody, or goes meanwhile, is left out.
void copy_tree(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::file_status about = fs::symlink_status(from, error);
  if (fs::is_symlink(about)) {
    fs::copy_symlink(from, to, error);
  } else if (fs::is_directory(about) && (about.permissions() & fs::perms::others_exec) != fs::perms::none) {
    fs::create_directories(to);
    for (fs::directory_iterator entry(from, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      copy_tree(entry->path(), to / entry->path().filename());
    }
  } else if (fs::is_regular_file(about) && (about.permissions() & fs::perms::others_read) != fs::perms::none) {
    fs::copy_file(from, to, error);
  }
  base::throw_if_wanting(error, "cannot copy", from);
}

// What is written below a link to a directory would be written to the host's own (ssl/certs of SUSE), and what lies
// elsewhere than in /usr is not there inside: of both what they lead to is copied.
void copy_entry(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(from, error);
  const bool stays = !fs::is_symlink(from, error) ||
                     (!fs::is_directory(real, error) && real.string().starts_with("/usr/"));
  copy_tree(stays ? from : real, to);
}

}  // namespace

void make_sandbox_etc(const fs::path& directory, const SandboxEtc& etc) {
  fs::remove_all(directory);
  fs::create_directories(directory / "ssl");
  for (const std::string_view name : kOfEtc) copy_entry(fs::path("/etc") / name, directory / name);
  std::error_code error;
  fs::directory_iterator entries("/etc", error);
  base::throw_if_wanting(error, "cannot list", "/etc");
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name.starts_with("java-")) copy_tree(entry.path(), directory / name);
  }
  base::write_file(directory / "passwd", std::string(etc.users));
  base::write_file(directory / "group", std::string(etc.groups));
  // Places for those of the host, which change while it runs (sandbox.cc).
  base::write_file(directory / "hosts", "");
  const bool asks = !etc.name_server.empty();
  const auto name_servers = [&] {
    return base::cat("nameserver ", etc.name_server, "\n", base::text_if_any("/etc/resolv.conf"));
  };
  base::write_file(directory / "resolv.conf", asks ? name_servers() : std::string());
  if (asks) {
    fs::remove(directory / "nsswitch.conf");
    base::write_file(directory / "nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
  }
  if (!etc.authorities.empty()) {
    fs::create_directories(directory / "ssl/certs");
    fs::remove(directory / kSystemAuthorities);
    base::write_file(directory / kSystemAuthorities, std::string(etc.authorities));
  }
}

}  // namespace tidemill::engine
