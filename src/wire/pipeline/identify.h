// Which operation a request means, or what else: the first stage. It reads no body, so a form (the Query protocol) is
// only known to be one; form.h says which action stands in it.
//
//   1. A path of the server's own (/metrics, /_tidemill/…).
//   2. X-Amz-Target names service and operation of the json protocols, whatever the rest says; of Smithy RPC v2
//      (smithy-protocol), the path does.
//   3. Otherwise the service is the one in the credential scope, of the header or of a presigned URL. Nothing of another
//      service is looked at, and if Tidemill lacks it, it is refused by that name.
//   4. Without a scope, or with one that names no service: the bucket or the service in the host.
//   5. Method and path mean an operation of that service; if nobody is named, of any. A form, or a query string, with an
//      Action is a Query request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "wire/credential_scope.h"
#include "wire/pipeline/host_check.h"
#include "wire/pipeline/request_head.h"
#include "wire/registry.h"
#include "wire/routing.h"

namespace tidemill::wire {

inline constexpr std::string_view kS3 = "s3";  // the one service whose clients put a name into the host

// A path that no service has, but the server itself, and who answers it.
struct OwnPath {
  std::string path;
  bool is_prefix = false;  // what begins with it is meant, too
  net::Handler handler;
  bool is_for_all = false;  // also where who asks must sign; others then answer this machine only
  bool needs_rights = false;  // where who asks must sign: a signature for kAdministration of who may kAdminister
};

inline constexpr std::string_view kAdministration = "tidemill";  // as a service in the scope of a signature
inline constexpr std::string_view kAdminister = "tidemill:Administer";  // on "*"

struct PostForm;

// What a request means. Stays where it is: its views are into the request and into itself.
struct Identity {
  enum class Kind { operation, form, preflight, own, unknown };

  Identity() = default;
  Identity(const Identity&) = delete;

  // Whether it is for a bucket, or of a preflight: whether the request that it asks for is.
  [[nodiscard]] bool is_for_bucket() const;
  [[nodiscard]] std::string_view bucket() const { return labels.front().second; }

  Kind kind = Kind::unknown;
  RequestHead head;
  std::optional<CredentialScope> scope;
  std::string_view service;            // that the scope or the host names; "": neither
  const Endpoint* endpoint = nullptr;  // set for an operation, and for a preflight of one
  const OwnPath* own = nullptr;
  Labels labels;                       // of the path
  Encoding encoding = Encoding::own;
  const PostForm* post = nullptr;      // of a browser's form to a bucket (post_form.h): it says itself who sends it
  std::string payload_hash;            // SHA-256 of the body as sent, in lower-case hex; empty: nobody has read it

 private:
  friend class Identifier;
  std::string path_with_bucket_;
};

class Identifier {
 public:
  // What is passed in outlives this.
  Identifier(const Routes& routes, const HostNames& hosts, const std::vector<OwnPath>& own_paths)
      : routes_(routes), hosts_(hosts), own_paths_(own_paths), has_s3_(routes.has_service(kS3)) {}

  void identify(const net::Request& request, Identity& found) const;

 private:
  [[nodiscard]] const OwnPath* find_own(std::string_view path) const;
  void choose_service(Identity& found) const;
  void find_by_path(const net::Request& request, const net::Headers& headers, bool is_form, Identity& found) const;
  void identify_preflight(const net::Request& request, Identity& found) const;

  const Routes& routes_;
  const HostNames& hosts_;
  const std::vector<OwnPath>& own_paths_;
  const bool has_s3_;
};

// "lambda" of "lambda.us-east-1.localhost:4566"; "" for names that tell no service.
[[nodiscard]] std::string_view service_of_host(std::string_view host);

// "a, b" -> a and b.
[[nodiscard]] std::vector<std::string> split_list(std::string_view list);

}  // namespace tidemill::wire
