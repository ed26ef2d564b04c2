// What the commands that ask a running server have in common (`tidemill logs`, `tidemill replay`): how they are told
// where it is, and how they call it. They are clients like any other and have no other way in.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/task.h"
#include "main/options.h"
#include "net/http_client.h"
#include "net/loop.h"

namespace tidemill {

struct ClientOptions {
  std::string endpoint = "http://127.0.0.1:4566";  // or $AWS_ENDPOINT_URL
  std::string region = "us-east-1";                // or $AWS_REGION, $AWS_DEFAULT_REGION
  std::string access_key = "test";                 // or $AWS_ACCESS_KEY_ID; 12 digits are an account
  std::string secret;                              // $AWS_SECRET_ACCESS_KEY
  std::string token;                               // $AWS_SESSION_TOKEN
};

// What a command's flags are read with. `take(name, value)` is called with each argument: a flag, whose value() is what
// stands behind it or after its '=', or a word without dashes. It returns false for what the command does not know.
// --endpoint and --region go to `options`, and before them what the environment says. Throws UsageError.
using TakeArgument = std::function<bool(std::string_view name, const std::function<std::string_view()>& value)>;
void parse_client_arguments(std::span<const std::string_view> arguments, const Environment& environment,
                            ClientOptions& options, const TakeArgument& take);

// What the server answered, or that it did not; what() is for people.
class CallFailed : public std::runtime_error {
 public:
  CallFailed(std::string code, const std::string& why) : std::runtime_error(why), code(std::move(code)) {}
  std::string code;  // the error's, like "ResourceNotFoundException"; empty: it said none
};

class ApiClient {
 public:
  ApiClient(net::Loop& loop, const ClientOptions& options) : options_(options), client_(loop) {}

  // An operation of an AWS JSON service: ("logs", "1.1", "Logs_20140328.FilterLogEvents", {…}). Throw CallFailed and
  // net::HttpFailed.
  Task<base::json::Value> call(std::string_view service, std::string_view version, std::string_view target,
                               const base::json::Object& request);
  // One whose answer goes on as events: `on_piece` is called with what comes of it, until it ends.
  Task<void> listen(std::string_view service, std::string_view version, std::string_view target,
                    const base::json::Object& request, std::function<void(std::string_view piece)> on_piece);
  // A GET, signed for the service; and a POST of the server's own, below /_tidemill/.
  Task<base::json::Value> get(std::string_view service, std::string_view path);
  Task<base::json::Value> post(std::string_view path, std::string body);
  Task<base::json::Value> remove(std::string_view path);

 private:
  [[nodiscard]] net::HttpCall call_of(std::string_view path) const;
  // Names service and region as clients do, and signs with the environment's secret.
  void sign(net::HttpCall& call, std::string_view service) const;
  [[nodiscard]] net::HttpCall json_call(std::string_view service, std::string_view version, std::string_view target,
                                        const base::json::Object& request) const;

  ClientOptions options_;
  net::HttpClient client_;
};

// What an ARN names is asked for in its region; names are nobody's.
void go_to_region_of(std::string_view arn, ClientOptions& options);

// Any bytes as a part of a path.
[[nodiscard]] std::string encode_path_part(std::string_view text);

// Runs it on a loop of its own until it ends; the program's exit code, which is what it returns, or 1 with a line on
// standard error if it throws.
int run_client(const std::function<Task<int>(net::Loop& loop)>& body);

}  // namespace tidemill
