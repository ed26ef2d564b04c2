#include "main/replay_command.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "base/text.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

// A document of a bucket has its records in it: 6 MB of events, and some of the function's words.
constexpr size_t kDocumentBytesMax = 8 << 20;
constexpr int64_t kMessagesAtOnce = 10;
// Long enough that no message comes twice in one run; those that are not replayed are given back at its end, however it
// ends.
constexpr int64_t kHoldSeconds = 12 * 3600;

std::string read_document(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw CallFailed("", cat("cannot read ", path));
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (text.size() > kDocumentBytesMax) throw CallFailed("", cat(path, " is too large to be a document"));
  return text;
}

const json::Value* text_of(const json::Value& value, std::string_view name) {
  const json::Value* found = value.is_object() ? value.find(name) : nullptr;
  return found && found->is_string() ? found : nullptr;
}

// A topic puts the document into a message of its own.
std::string without_envelope(std::string body) {
  const auto parsed = json::parse(body);
  const json::Value* type = parsed ? text_of(*parsed, "Type") : nullptr;
  const json::Value* message = parsed ? text_of(*parsed, "Message") : nullptr;
  return type && message && type->string() == "Notification" ? message->string() : body;
}

class Replay {
 public:
  Replay(net::Loop& loop, const ReplayOptions& options) : options_(options), client_(loop, options.client) {}

  Task<int> run() {
    bool all = true;
    if (options_.queue.empty()) all = co_await one(read_document(options_.document));
    else all = co_await queue();
    co_return all ? 0 : 1;
  }

 private:
  // Whether the function took the records, or they were dropped.
  Task<bool> one(std::string document) {
    std::string line;
    bool taken = false;
    try {
      const json::Value answer = co_await client_.post(options_.drop ? "/_tidemill/replay?drop" : "/_tidemill/replay", std::move(document));
      const json::Value* outcome = text_of(answer, "outcome");
      const json::Value* detail = text_of(answer, "detail");
      taken = outcome && outcome->string() == (options_.drop ? "dropped" : "replayed");
      line = cat(outcome ? outcome->string() : "?", ": ", detail ? detail->string() : "");
    } catch (const CallFailed& error) {
      line = cat("refused: ", error.what());
    }
    for (char& c : line) {
      if (c == '\n') c = ' ';
    }
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    co_return taken;
  }

  Task<bool> queue() {
    const json::Value found = co_await sqs("GetQueueUrl", {{"QueueName", options_.queue}});
    const json::Value* url = text_of(found, "QueueUrl");
    if (!url) throw CallFailed("", "the server does not say where the queue is");
    url_ = url->string();
    std::exception_ptr failure;
    bool all = false;
    try {
      all = co_await replay_messages();
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
    co_await give_back();
    if (failure) std::rethrow_exception(failure);
    co_return all;
  }

  // Whether the records of all were taken.
  Task<bool> replay_messages() {
    bool all = true;
    size_t count = 0;
    while (true) {
      const json::Value page = co_await sqs("ReceiveMessage", {{"QueueUrl", url_},
                                                               {"MaxNumberOfMessages", kMessagesAtOnce},
                                                               {"VisibilityTimeout", kHoldSeconds}});
      const json::Value* messages = page.find("Messages");
      if (!messages || !messages->is_array() || messages->array().empty()) break;
      for (const json::Value& message : messages->array()) {
        if (const json::Value* handle = text_of(message, "ReceiptHandle")) held_.insert(handle->string());
      }
      for (const json::Value& message : messages->array()) {
        ++count;
        all = co_await replay_message(message) && all;
      }
    }
    if (count == 0) std::printf("nothing to replay: the queue %s is empty\n", options_.queue.c_str());
    co_return all;
  }

  Task<bool> replay_message(const json::Value& message) {
    const json::Value* body = text_of(message, "Body");
    const json::Value* handle = text_of(message, "ReceiptHandle");
    if (!body || !handle) throw CallFailed("", "the server's answer has a message without a body");
    if (!co_await one(without_envelope(body->string()))) co_return false;
    (void)co_await sqs("DeleteMessage", {{"QueueUrl", url_}, {"ReceiptHandle", handle->string()}});
    held_.erase(handle->string());
    co_return true;
  }

  // As far as the server still answers; the others come back when their time is over.
  Task<void> give_back() {
    for (const std::string& handle : held_) {
      try {
        (void)co_await sqs("ChangeMessageVisibility",
                           {{"QueueUrl", url_}, {"ReceiptHandle", handle}, {"VisibilityTimeout", 0}});
      } catch (const CallFailed& error) {
        std::fprintf(stderr, "tidemill: a message stays hidden for a while: %s\n", error.what());
      } catch (const net::HttpFailed&) {
        co_return;  // nobody is there
      }
    }
  }

  Task<json::Value> sqs(std::string_view operation, json::Object request) {
    co_return co_await client_.call("sqs", "1.0", cat("AmazonSQS.", operation), request);
  }

  const ReplayOptions& options_;
  ApiClient client_;
  std::string url_;
  std::set<std::string> held_;  // receipt handles of what it has received and not deleted
};

}  // namespace

ReplayOptions parse_replay_options(std::span<const std::string_view> arguments, const Environment& environment) {
  ReplayOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name == "--document") options.document = value();
    else if (name == "--queue") options.queue = value();
    else if (name == "--drop") options.drop = true;
    else return false;
    return true;
  });
  if (options.document.empty() == options.queue.empty()) {
    throw UsageError("replay: of what? tidemill replay --document FILE, or --queue NAME");
  }
  return options;
}

int replay(const ReplayOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    Replay replay(loop, options);
    co_return co_await replay.run();
  });
}

}  // namespace tidemill
