#include "main/faults_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <vector>

#include "base/text.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

constexpr std::string_view kPath = "/_tidemill/faults";
constexpr std::string_view kUsage =
    "faults: tidemill faults list, tidemill faults add … (tidemill faults --help shows how), or tidemill faults clear [ID]";

template <class Number>
Number number_of(std::string_view flag, std::string_view text, std::string_view expected) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError(cat(flag, ": \"", text, "\" is not ", expected));
  }
  return number;
}

// "2s", "250ms", "1.5s", "2m", in seconds.
double seconds_of(std::string_view flag, std::string_view text) {
  constexpr std::string_view kExpected = "a time like 250ms, 2s or 1m";
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  const double scale = unit == "ms" ? 0.001 : unit == "s" ? 1 : unit == "m" ? 60 : 0;
  if (scale == 0) throw UsageError(cat(flag, ": \"", text, "\" is not ", kExpected));
  return number_of<double>(flag, text.substr(0, digits), kExpected) * scale;
}

// Reads what stands behind `add`.
class FaultReader {
 public:
  // False: it knows no such flag.
  bool take(std::string_view flag, const std::function<std::string_view()>& value) {
    constexpr std::array<std::string_view, 4> kTexts{"--service", "--operation", "--function", "--message"};
    const std::string name(flag.substr(std::min<size_t>(flag.size(), 2)));
    if (std::ranges::find(kTexts, flag) != kTexts.end()) {
      fault_.set(name, std::string(value()));
    } else if (flag == "--throttle" || flag == "--partial" || flag == "--fail") {
      set_effect(name);
    } else if (flag == "--error") {
      fault_.set(name, std::string(value()));
    } else if (flag == "--delay") {
      set_effect(name);
      fault_.set(name, seconds_of(flag, value()));
    } else if (flag == "--probability") {
      fault_.set(name, number_of<double>(flag, value(), "a number from 0 to 1"));
    } else if (flag == "--times" || flag == "--seed" || flag == "--status") {
      fault_.set(name, number_of<int64_t>(flag, value(), "a whole number"));
    } else {
      return false;
    }
    return true;
  }

  json::Object finish() {
    const json::Value* error = fault_.find("error");
    if (effect_.empty() && error) effect_ = "fail";
    if (effect_.empty()) throw UsageError("faults add: one of --throttle, --fail, --error NAME, --delay 2s and --partial");
    fault_.set("effect", effect_);
    return std::move(fault_);
  }

 private:
  void set_effect(const std::string& effect) {
    if (!effect_.empty()) throw UsageError(cat("faults add: --", effect_, " or --", effect, ", not both"));
    effect_ = effect;
  }

  json::Object fault_;
  std::string effect_;
};

std::string text_of(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  if (!found) return "";
  return found->is_string() ? found->string() : json::write(*found);
}

void print_fault(const json::Value& fault) {
  const std::string operation = text_of(fault, "operation");
  const std::string function = text_of(fault, "function");
  std::string line = cat(text_of(fault, "id"), "  ",
                         !function.empty() ? cat("function ", function)
                                           : cat(text_of(fault, "service"), ".", operation.empty() ? "*" : operation),
                         "  ", text_of(fault, "effect"));
  if (const std::string error = text_of(fault, "error"); !error.empty()) line += cat(" ", error);
  if (const std::string delay = text_of(fault, "delay"); !delay.empty()) line += cat(" ", delay, "s");
  line += cat("  probability ", text_of(fault, "probability"));
  if (const std::string times = text_of(fault, "times"); !times.empty()) line += cat("  times ", times);
  line += cat("  seed ", text_of(fault, "seed"), "  struck ", text_of(fault, "struck"), " of ", text_of(fault, "seen"));
  std::printf("%s\n", line.c_str());
}

Task<int> list(ApiClient& client) {
  const json::Value answer = co_await client.get("tidemill", kPath);
  const json::Value* faults = answer.find("faults");
  if (!faults || !faults->is_array() || faults->array().empty()) std::printf("there are no faults\n");
  else for (const json::Value& fault : faults->array()) print_fault(fault);
  co_return 0;
}

Task<int> carry_out(ApiClient& client, const FaultsOptions& options) {
  using Action = FaultsOptions::Action;
  if (options.action == Action::list) co_return co_await list(client);
  if (options.action == Action::add) {
    const json::Value answer = co_await client.post(kPath, json::write(options.fault));
    std::printf("fault %s, seed %s\n", text_of(answer, "id").c_str(), text_of(answer, "seed").c_str());
  } else {
    const std::string path = options.id ? cat(kPath, "?id=", *options.id) : std::string(kPath);
    const json::Value answer = co_await client.remove(path);
    std::printf("%s cleared\n", text_of(answer, "cleared").c_str());
  }
  co_return 0;
}

}  // namespace

FaultsOptions parse_faults_options(std::span<const std::string_view> arguments, const Environment& environment) {
  using Action = FaultsOptions::Action;
  FaultsOptions options;
  FaultReader reader;
  std::vector<std::string_view> words;
  const bool adds = !arguments.empty() && arguments[0] == "add";
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (adds && name.starts_with("-")) return reader.take(name, value);
    if (name.starts_with("-")) return false;
    words.push_back(name);
    return true;
  });
  if (words.empty() || words.size() > (words[0] == "clear" ? 2 : 1)) throw UsageError(std::string(kUsage));
  if (words[0] == "add") {
    options.action = Action::add;
    options.fault = reader.finish();
  } else if (words[0] == "clear") {
    options.action = Action::clear;
    if (words.size() == 2) options.id = number_of<uint64_t>("faults clear", words[1], "the id of a fault");
  } else if (words[0] != "list") {
    throw UsageError(std::string(kUsage));
  }
  return options;
}

std::string faults_help() {
  return "Have operations and functions of a running server throttled, delayed or failing, to test what calls them.\n\n"
         "  tidemill faults list                    what was asked for, and how often each struck\n"
         "  tidemill faults add WHOM WHAT [HOW]     ask for one more\n"
         "  tidemill faults clear [ID]              take back one, or all; a restart does so, too\n\n"
         "WHOM\n"
         "  --service NAME [--operation NAME]       dynamodb, PutItem; without an operation all of the service\n"
         "  --function NAME                         or its ARN: however it is invoked\n"
         "WHAT\n"
         "  --throttle                              refused as when there is too much to do\n"
         "  --fail                                  the service's internal error; of a function: it fails\n"
         "  --error NAME [--status N] [--message M] another error\n"
         "  --delay 2s                              later, in the machine's time: 250ms, 2s, 1m, up to 15m\n"
         "  --partial [--error NAME]                entries of a batch are left undone: BatchWriteItem and the like\n"
         "HOW\n"
         "  --probability 0.5                       of each call, or of each entry; default 1\n"
         "  --times N                               not more often than that\n"
         "  --seed N                                the same calls in the same order meet the same faults\n\n"
         "And --endpoint URL: default $TIDEMILL_ENDPOINT, $AWS_ENDPOINT_URL, http://127.0.0.1:4566\n";
}

int faults(const FaultsOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    ApiClient client(loop, options.client);
    co_return co_await carry_out(client, options);
  });
}

}  // namespace tidemill
