#include "main/tls_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "crypto/certificates.h"

namespace tidemill {

namespace {

using base::cat;

constexpr size_t kFileBytesMax = 1 << 20;
constexpr mode_t kOfOthers = S_IRWXG | S_IRWXO;
constexpr std::string_view kAuthority = "authority.pem";
constexpr std::string_view kAuthorityKey = "authority-key.pem";

// A secret must be its owner's alone: what the open file is, not what stands there later.
std::string read(const char* flag, const std::filesystem::path& path, bool is_secret) {
  const auto refuse = [&](const std::string& why) { throw net::TlsError(cat(flag, ": ", path.string(), " ", why)); };
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) refuse(cat("cannot be opened: ", std::strerror(errno)));
  struct stat about {};
  if (::fstat(file.fd(), &about) != 0 || !S_ISREG(about.st_mode)) refuse("is no file");
  if (is_secret && about.st_uid != ::geteuid() && about.st_uid != 0) refuse("belongs to somebody else");
  if (is_secret && (about.st_mode & kOfOthers) != 0) refuse("may be read by others than its owner: chmod 600 it");
  std::string text(kFileBytesMax + 1, '\0');
  size_t size = 0;
  for (ssize_t count = 0; size < text.size() && (count = ::read(file.fd(), text.data() + size, text.size() - size)) > 0;) {
    size += static_cast<size_t>(count);
  }
  if (size > kFileBytesMax) refuse("is too large");
  text.resize(size);
  return text;
}

Tls of_files(const Options& options) {
  const std::string certificate = read("--tls-cert", options.tls_certificate, false);
  const std::string key = read("--tls-key", options.tls_key, true);
  try {
    return {std::make_shared<net::TlsIdentity>(certificate, key), certificate};
  } catch (const net::TlsError& error) {
    throw net::TlsError(cat("--tls-cert ", options.tls_certificate.string(), ", --tls-key ", options.tls_key.string(), ": ",
                            error.what()));
  }
}

crypto::CertifiedKey authority_of(const std::filesystem::path& directory) {
  const auto certificate = directory / kAuthority;
  const auto key = directory / kAuthorityKey;
  std::error_code none;
  if (std::filesystem::exists(certificate, none)) {
    return {read("--tls-self-signed", certificate, false), read("--tls-self-signed", key, true)};
  }
  base::make_directory(directory);
  crypto::CertifiedKey made = crypto::make_authority("Tidemill's own authority", base::RealClock().now());
  base::write_file(key, made.key);
  base::write_file(certificate, made.certificate);  // last: it says that both are there
  return made;
}

std::vector<std::string> names_of(const Options& options) {
  std::vector<std::string> names{"localhost", "*.localhost", "127.0.0.1", "::1"};
  if (options.bind != "0.0.0.0" && options.bind != "::" && options.bind != "127.0.0.1" && options.bind != "::1") {
    names.push_back(options.bind);
  }
  for (const std::string& host : options.hosts) {
    names.push_back(host.starts_with('[') ? host.substr(1, host.size() - 2) : host);
    const bool is_name = host.find_first_not_of("0123456789.") != std::string::npos && !host.starts_with('[');
    if (is_name) names.push_back("*." + host);
  }
  return names;
}

}  // namespace

Tls vouch_for(const Options& options, std::vector<std::string> names) {
  const crypto::CertifiedKey authority = authority_of(options.data / "tls");
  const auto own = crypto::make_server_certificate(authority, std::move(names), base::RealClock().now());
  return {std::make_shared<net::TlsIdentity>(own.certificate, own.key), authority.certificate};
}

Tls load_tls(const Options& options) {
  if (!options.is_self_signed) return of_files(options);
  Tls tls = vouch_for(options, names_of(options));
  base::log_info("tls_authority", {{"file", (options.data / "tls" / kAuthority).string()}});
  return tls;
}

}  // namespace tidemill
