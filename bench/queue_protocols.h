// The three steps of a queue in each system's words, for queue_load.cc: requests as they go over the wire, and where an
// answer ends. Anything but success ends the program.
#pragma once

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct QueueTarget {
  int port = 0;
  std::string path = "/";            // of an SQS queue
  std::vector<std::string> headers;  // of requests to SQS
  std::string user;                  // of PostgreSQL
  std::string body = std::string(100, 'x');
  int batch = 1;                     // messages in one request

  // http://127.0.0.1:port/path
  void set_url(std::string_view url);
};

using Handles = std::vector<std::string>;
enum class Step { send, receive, wait, remove };

class QueueProtocol {
 public:
  virtual ~QueueProtocol() = default;

  // What a new connection says first; each is answered.
  virtual std::vector<std::string> greeting() { return {}; }
  // `handles`: what the messages to be removed were received with.
  virtual std::string request(Step step, const Handles& handles) = 0;
  // How many bytes the answer at the beginning of `in` has; 0: it is not all there.
  virtual size_t answer_size(std::string_view in) = 0;
  virtual void check(std::string_view answer) = 0;
  // Of an answer to receive or wait; empty: there was no message.
  virtual Handles handles_of(std::string_view answer) = 0;
};

std::unique_ptr<QueueProtocol> make_sqs(const QueueTarget& target);
std::unique_ptr<QueueProtocol> make_redis(const QueueTarget& target);     // stream and group "bench"
std::unique_ptr<QueueProtocol> make_postgres(const QueueTarget& target);  // table "queue"

