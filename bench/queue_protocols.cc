#include "queue_protocols.h"

#include <arpa/inet.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "load.h"

namespace {

// --- SQS: JSON over HTTP/1.1 ---

class Sqs final : public QueueProtocol {
 public:
  explicit Sqs(const QueueTarget& target) : url_("http://127.0.0.1:" + std::to_string(target.port) + target.path) {
    for (const std::string& header : target.headers) headers_ += header + "\r\n";
    const std::string count = R"(,"MaxNumberOfMessages":)" + std::to_string(target.batch);
    receive_ = make("ReceiveMessage", count + R"(,"WaitTimeSeconds":0)");
    wait_ = make("ReceiveMessage", count + R"(,"WaitTimeSeconds":20)");
    send_ = target.batch == 1 ? make("SendMessage", R"(,"MessageBody":")" + target.body + "\"")
                              : make("SendMessageBatch", entries(std::vector(static_cast<size_t>(target.batch), target.body),
                                                                 "MessageBody"));
  }

  std::string request(Step step, const Handles& handles) override {
    switch (step) {
      case Step::send: return send_;
      case Step::receive: return receive_;
      case Step::wait: return wait_;
      case Step::remove: break;
    }
    if (handles.size() == 1) return make("DeleteMessage", R"(,"ReceiptHandle":")" + handles[0] + "\"");
    return make("DeleteMessageBatch", entries(handles, "ReceiptHandle"));
  }

  size_t answer_size(std::string_view in) override {
    const size_t head = in.find("\r\n\r\n");
    if (head == std::string_view::npos) return 0;
    const std::string name = "\r\ncontent-length:";
    size_t length = 0;
    for (size_t at = 0; at < head; ++at) {
      if (strncasecmp(in.data() + at, name.c_str(), name.size()) != 0) continue;
      length = std::strtoull(in.data() + at + name.size(), nullptr, 10);
      break;
    }
    const size_t size = head + 4 + length;
    return in.size() < size ? 0 : size;
  }

  void check(std::string_view answer) override {
    const bool failed = answer.find(R"("Failed":[{)") != std::string_view::npos;
    if (answer.substr(9, 3) != "200" || failed) load::die("refused: " + std::string(answer));
  }

  Handles handles_of(std::string_view answer) override {
    constexpr std::string_view kName = R"("ReceiptHandle":")";
    Handles handles;
    for (size_t at; (at = answer.find(kName)) != std::string_view::npos;) {
      answer.remove_prefix(at + kName.size());
      handles.emplace_back(answer.substr(0, answer.find('"')));
    }
    return handles;
  }

 private:
  static std::string entries(const std::vector<std::string>& values, const std::string& member) {
    std::string text = R"(,"Entries":[)";
    for (size_t i = 0; i < values.size(); ++i) {
      text += (i ? R"(,{"Id":")" : R"({"Id":")") + std::to_string(i) + R"(",")" + member + R"(":")" + values[i] + "\"}";
    }
    return text + "]";
  }
  [[nodiscard]] std::string make(const std::string& operation, const std::string& members) const {
    const std::string body = R"({"QueueUrl":")" + url_ + "\"" + members + "}";
    return "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers_ + "Content-Type: application/x-amz-json-1.0\r\n" +
           "X-Amz-Target: AmazonSQS." + operation + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  const std::string url_;
  std::string headers_, send_, receive_, wait_;
};

// --- Redis Streams: RESP ---

class Redis final : public QueueProtocol {
 public:
  explicit Redis(const QueueTarget& target) : count_(std::to_string(target.batch)) {
    const std::string add = command({"XADD", "bench", "*", "body", target.body});
    send_ = add;
    if (target.batch == 1) return;
    send_ = command({"MULTI"});
    for (int i = 0; i < target.batch; ++i) send_ += add;
    send_ += command({"EXEC"});
  }

  std::string request(Step step, const Handles& handles) override {
    switch (step) {
      case Step::send: return send_;
      case Step::receive: return command({"XREADGROUP", "GROUP", "bench", "one", "COUNT", count_, "STREAMS", "bench", ">"});
      case Step::wait:
        return command({"XREADGROUP", "GROUP", "bench", "one", "COUNT", count_, "BLOCK", "20000", "STREAMS", "bench", ">"});
      case Step::remove: break;
    }
    // As one request and one sync of its file; without XDEL acknowledged messages would stay.
    std::vector<std::string_view> acknowledge{"XACK", "bench", "bench"};
    std::vector<std::string_view> erase{"XDEL", "bench"};
    acknowledge.insert(acknowledge.end(), handles.begin(), handles.end());
    erase.insert(erase.end(), handles.begin(), handles.end());
    return command({"MULTI"}) + command(acknowledge) + command(erase) + command({"EXEC"});
  }

  // To a transaction: +OK, a +QUEUED for each command, and the replies to them.
  size_t answer_size(std::string_view in) override {
    size_t size = value_size(in, 0);
    if (!in.starts_with("+OK")) return size;
    while (size > 0 && size < in.size() && in[size] == '+') size = value_size(in, size);
    return size == 0 || size == in.size() ? 0 : value_size(in, size);
  }

  void check(std::string_view answer) override {
    if (answer.starts_with('-') || answer.find("\r\n-") != std::string_view::npos) load::die("refused: " + std::string(answer));
  }

  // *1 *2 $5 bench *<count>, and for each: *2 $<size> <id> *2 $4 body $<size> <body>
  Handles handles_of(std::string_view answer) override {
    constexpr std::string_view kFields = "\r\n*2\r\n$4\r\nbody\r\n";
    Handles handles;
    for (size_t at = 0; (at = answer.find(kFields, at)) != std::string_view::npos; at += kFields.size()) {
      const size_t begin = answer.rfind('\n', at) + 1;
      handles.emplace_back(answer.substr(begin, at - begin));
    }
    return handles;
  }

 private:
  static std::string command(const std::vector<std::string_view>& words) {
    std::string text = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words) {
      text += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
    }
    return text;
  }

  // Where the value ends that begins at `at`; 0: it is not all there.
  static size_t value_size(std::string_view in, size_t at) {
    const size_t end = in.find("\r\n", at);
    if (end == std::string_view::npos) return 0;
    const long count = std::strtol(in.data() + at + 1, nullptr, 10);
    if (in[at] == '$') {
      const size_t after = count < 0 ? end + 2 : end + 2 + static_cast<size_t>(count) + 2;
      return in.size() < after ? 0 : after;
    }
    size_t after = end + 2;
    for (long i = 0; in[at] == '*' && i < count && after > 0; ++i) after = value_size(in, after);
    return after;
  }

  const std::string count_;
  std::string send_;
};

// --- PostgreSQL: frontend/backend protocol 3.0, prepared statements ---

class Postgres final : public QueueProtocol {
 public:
  explicit Postgres(const QueueTarget& target)
      : user_(target.user), body_(target.body), count_(std::to_string(target.batch)) {}

  std::vector<std::string> greeting() override {
    std::string start = number(196608) + "user" + '\0' + user_ + '\0' + "database" + '\0' + "postgres" + '\0' + '\0';
    start.insert(0, number(start.size() + 4));
    return {start, prepare("send", "INSERT INTO queue (body) SELECT $1 FROM generate_series(1, " + count_ + ")") +
                       prepare("receive",
                               "UPDATE queue SET available = now() + interval '30 seconds', receives = receives + 1 "
                               "WHERE id = ANY (ARRAY(SELECT id FROM queue WHERE available <= now() ORDER BY available, id "
                               "FOR UPDATE SKIP LOCKED LIMIT " + count_ + ")) RETURNING id, body, receives") +
                       prepare("remove", "DELETE FROM queue WHERE id = ANY ($1::bigint[])") + message('S', "")};
  }

  std::string request(Step step, const Handles& handles) override {
    std::string ids;
    for (const std::string& handle : handles) ids += (ids.empty() ? "{" : ",") + handle;
    switch (step) {
      case Step::send: return call("send", {body_});
      case Step::receive: return call("receive", {});
      case Step::remove: return call("remove", {ids + "}"});
      case Step::wait: break;
    }
    load::die("PostgreSQL has nobody who waits");
  }

  // Up to ReadyForQuery.
  size_t answer_size(std::string_view in) override {
    for (size_t at = 0; at + 5 <= in.size();) {
      const size_t next = at + 1 + number_at(in, at + 1);
      if (next > in.size()) return 0;
      if (in[at] == 'Z') return next;
      at = next;
    }
    return 0;
  }

  void check(std::string_view answer) override {
    if (!find('E', answer).empty()) load::die("refused: " + std::string(find('E', answer)));
  }

  // The first column of each DataRow: i16 columns, then i32 size and text of each.
  Handles handles_of(std::string_view answer) override {
    Handles handles;
    for (size_t at = 0; at + 5 <= answer.size(); at += 1 + number_at(answer, at + 1)) {
      if (answer[at] == 'D') handles.emplace_back(answer.substr(at + 11, number_at(answer, at + 7)));
    }
    return handles;
  }

 private:
  static std::string number(size_t value) {
    const uint32_t bytes = htonl(static_cast<uint32_t>(value));
    return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
  }
  static size_t number_at(std::string_view in, size_t at) {
    uint32_t bytes;
    std::memcpy(&bytes, in.data() + at, sizeof bytes);
    return ntohl(bytes);
  }
  static std::string small(size_t value) {
    return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)};
  }
  static std::string message(char type, const std::string& body) { return type + number(body.size() + 4) + body; }
  static std::string prepare(const std::string& name, const std::string& statement) {
    return message('P', name + '\0' + statement + '\0' + small(0));
  }
  static std::string call(const std::string& name, std::initializer_list<std::string_view> parameters) {
    std::string bind = '\0' + name + '\0' + small(0) + small(parameters.size());
    for (const std::string_view each : parameters) bind += number(each.size()) + std::string(each);
    return message('B', bind + small(0)) + message('E', '\0' + number(0)) + message('S', "");
  }
  // The body of the first message of that type.
  static std::string_view find(char type, std::string_view answer) {
    for (size_t at = 0; at + 5 <= answer.size(); at += 1 + number_at(answer, at + 1)) {
      if (answer[at] == type) return answer.substr(at + 5, number_at(answer, at + 1) - 4);
    }
    return {};
  }

  const std::string user_, body_, count_;
};

}  // namespace

void QueueTarget::set_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://127.0.0.1:";
  if (!url.starts_with(kScheme)) load::die("only URLs on 127.0.0.1");
  url.remove_prefix(kScheme.size());
  port = std::atoi(std::string(url).c_str());
  path = std::string(url.substr(std::min(url.find('/'), url.size())));
}

std::unique_ptr<QueueProtocol> make_sqs(const QueueTarget& target) { return std::make_unique<Sqs>(target); }
std::unique_ptr<QueueProtocol> make_redis(const QueueTarget& target) { return std::make_unique<Redis>(target); }
std::unique_ptr<QueueProtocol> make_postgres(const QueueTarget& target) { return std::make_unique<Postgres>(target); }

