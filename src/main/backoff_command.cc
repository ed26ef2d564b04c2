#include "main/backoff_command.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "main/logs_command.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

constexpr std::string_view kPath = "/_tidemill/backoff";
constexpr std::string_view kDefaultAccount = "000000000000";
constexpr size_t kAccountDigits = 12;

std::string text_of(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  if (!found) return "";
  return found->is_string() ? found->string() : json::write(*found);
}

void print_state(const json::Value& state) {
  std::string line =
      cat(text_of(state, "principal"), "  ", text_of(state, "cause"), "  reports ", text_of(state, "reports"),
          "  delivered ", text_of(state, "deliveries"), "  held back ", text_of(state, "suppressed"), "  first ",
          text_of(state, "first"), "  last ", text_of(state, "last"), "  next ", text_of(state, "next"));
  if (const std::string until = text_of(state, "silencedUntil"); !until.empty()) line += cat("  silent until ", until);
  std::ranges::replace(line, '\n', ' ');
  std::printf("%s\n", line.c_str());
}

class Backoff {
 public:
  Backoff(net::Loop& loop, const BackoffOptions& options) : options_(options), client_(loop, options.client) {}

  Task<int> run() {
    if (options_.silence || options_.reset) co_return co_await change();
    co_return co_await list();
  }

 private:
  Task<int> list() {
    size_t count = 0;
    std::string after;
    do {
      std::string path = cat(kPath, "?topic=", encode_path_part(options_.topic_arn()));
      if (!after.empty()) path += cat("&after=", encode_path_part(after));
      const json::Value page = co_await client_.get("sns", path);
      const json::Value* states = page.find("states");
      for (const json::Value& state : states && states->is_array() ? states->array() : json::Array()) {
        ++count;
        print_state(state);
      }
      after = text_of(page, "next");
    } while (!after.empty());
    if (count == 0) std::printf("nothing was published yet that it could hold back\n");
    co_return 0;
  }

  Task<int> change() {
    json::Object request{
        {"topic", options_.topic_arn()}, {"principal", *options_.principal}, {"cause", *options_.cause}};
    if (options_.reset)
      request.set("reset", true);
    else
      request.set("silence", static_cast<int64_t>(options_.silence->count()));
    const json::Value answer = co_await client_.post(kPath, json::write(request));
    if (text_of(answer, "done") == "true") co_return 0;
    std::fprintf(stderr, "tidemill: nothing of that principal and cause has been reported yet\n");
    co_return 1;
  }

  const BackoffOptions& options_;
  ApiClient client_;
};

// A kind is known by both, so neither may be left out; either may be empty.
void check_kind(const BackoffOptions& options) {
  if (!options.silence && !options.reset) {
    if (!options.principal && !options.cause) return;
    throw UsageError("backoff: --principal and --cause go with --silence or --reset");
  }
  if (options.principal && options.cause) return;
  const std::string_view missing = options.cause       ? "--principal"
                                   : options.principal ? "--cause"
                                                       : "--principal and --cause";
  throw UsageError(cat("backoff: ", options.reset ? "--reset" : "--silence", " is for one kind of message and lacks ",
                       missing));
}

}  // namespace

std::string BackoffOptions::topic_arn() const {
  if (topic.starts_with("arn:")) return topic;
  const bool is_account = client.access_key.size() == kAccountDigits &&
                          std::ranges::all_of(client.access_key, [](char c) { return c >= '0' && c <= '9'; });
  return cat("arn:aws:sns:", client.region, ":", is_account ? std::string_view(client.access_key) : kDefaultAccount,
             ":", topic);
}

BackoffOptions parse_backoff_options(std::span<const std::string_view> arguments, const Environment& environment) {
  BackoffOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name == "--principal")
      options.principal = value();
    else if (name == "--cause")
      options.cause = value();
    else if (name == "--silence")
      options.silence = parse_age(value(), name);
    else if (name == "--reset")
      options.reset = true;
    else if (name.starts_with("-") || !options.topic.empty())
      return false;
    else
      options.topic = name;
    return true;
  });
  if (options.topic.empty() || (options.silence && options.reset)) {
    throw UsageError("backoff: tidemill backoff TOPIC [--principal P --cause C (--silence 2h | --reset)]");
  }
  check_kind(options);
  return options;
}

int backoff(const BackoffOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    Backoff command(loop, options);
    co_return co_await command.run();
  });
}

}  // namespace tidemill
