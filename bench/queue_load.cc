// A load generator for queues: N connections, each sending a message, receiving one and deleting it, again and again; the
// same three steps on each system, every one durable before it is answered.
//
//   queue_load --system sqs --url http://127.0.0.1:4566/000000000000/bench    SendMessage, ReceiveMessage, DeleteMessage
//   queue_load --system redis --port 6379                                     XADD, XREADGROUP, XACK and XDEL
//   queue_load --system postgres --port 5432 --user bench                     INSERT, UPDATE … SKIP LOCKED, DELETE
//              [--header 'Authorization: …']... [--connections 64] [--seconds 5] [--warmup S] [--bytes 100] [--pid SERVER]
//              [--batch 10] [--waiting 1]
//
// With --waiting 1 (sqs and redis) two connections measure how long a message takes to one who waits for it: from before it
// is sent until the receiver has it. --batch N sends, receives and deletes
// up to N messages with each request. Prints the line of JSON that http_load prints: requests are messages, and the times
// are those of all three steps.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "load.h"
#include "queue_protocols.h"

namespace {

using Steady = std::chrono::steady_clock;

// How long the receiver of --waiting 1 has been asked before a message is sent to it.
constexpr auto kPause = std::chrono::milliseconds(3);

struct Options {
  QueueTarget target;
  std::string system;
  int connections = 1;
  double seconds = 5;
  double warmup = 0.5;
  int pid = 0;
  bool waiting = false;
};

Options parse(int argc, char** argv) {
  Options options;
  load::parse_flags(argc, argv, [&](std::string_view flag, const char* value) {
    if (flag == "--system") options.system = value;
    else if (flag == "--url") options.target.set_url(value);
    else if (flag == "--port") options.target.port = std::atoi(value);
    else if (flag == "--user") options.target.user = value;
    else if (flag == "--header") options.target.headers.emplace_back(value);
    else if (flag == "--bytes") options.target.body = std::string(std::strtoull(value, nullptr, 10), 'x');
    else if (flag == "--connections") options.connections = std::atoi(value);
    else if (flag == "--seconds") options.seconds = std::atof(value);
    else if (flag == "--warmup") options.warmup = std::atof(value);
    else if (flag == "--batch") options.target.batch = std::atoi(value);
    else if (flag == "--pid") options.pid = std::atoi(value);
    else if (flag == "--waiting") options.waiting = std::atoi(value) != 0;
    else return false;
    return true;
  });
  return options;
}

std::unique_ptr<QueueProtocol> make_protocol(const Options& options) {
  if (options.system == "sqs") return make_sqs(options.target);
  if (options.system == "redis") return make_redis(options.target);
  if (options.system == "postgres") return make_postgres(options.target);
  load::die("--system must be sqs, redis or postgres");
}

struct Connection {
  int fd = -1;
  std::string in;
  Step step = Step::send;
  size_t messages = 0;       // that it is removing
  Steady::time_point began;  // its cycle
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options), protocol_(make_protocol(options)), epoll_(epoll_create1(0)) {}

  void run() {
    connections_.resize(static_cast<size_t>(options_.waiting ? 2 : options_.connections));
    for (Connection& connection : connections_) open(connection);
    begin_counting_at_ = Steady::now() + duration(options_.warmup);
    if (options_.waiting) wait_and_send();
    else cycle();
    report(std::chrono::duration<double>(Steady::now() - counted_from_).count(), cpu() - cpu_before_);
  }

 private:
  static Steady::duration duration(double seconds) {
    return std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(seconds));
  }
  [[nodiscard]] double cpu() const { return options_.pid ? load::cpu_seconds(options_.pid) : 0; }

  void open(Connection& connection) {
    connection.fd = load::connect_to(options_.target.port);
    for (const std::string& request : protocol_->greeting()) {
      load::send_all(connection.fd, request);
      (void)read_answer(connection);
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
  }

  // False: the time is over. Throws the warm-up's results away when it ends.
  bool goes_on() {
    const auto now = Steady::now();
    if (!counting_ && now >= begin_counting_at_) {
      counting_ = true;
      nanoseconds_.clear();
      messages_ = 0;
      counted_from_ = now;
      cpu_before_ = cpu();
    }
    return !counting_ || now < counted_from_ + duration(options_.seconds);
  }

  void cycle() {
    for (Connection& connection : connections_) begin(connection);
    while (goes_on()) {
      epoll_event events[256];
      const int count = epoll_wait(epoll_, events, 256, 1000);
      for (int i = 0; i < count; ++i) {
        auto& connection = *static_cast<Connection*>(events[i].data.ptr);
        receive_some(connection);
        const size_t size = protocol_->answer_size(connection.in);
        if (size > 0) go_on(connection, size);
      }
    }
  }

  void begin(Connection& connection) {
    connection.began = Steady::now();
    connection.step = Step::send;
    load::send_all(connection.fd, protocol_->request(Step::send, {}));
  }

  void go_on(Connection& connection, size_t size) {
    const std::string answer = connection.in.substr(0, size);
    connection.in.erase(0, size);
    protocol_->check(answer);
    Handles handles;
    if (connection.step == Step::receive) {
      handles = protocol_->handles_of(answer);
      // Somebody else was faster; each who sends finds one in the end.
      if (handles.empty()) return load::send_all(connection.fd, protocol_->request(Step::receive, {}));
      connection.messages = handles.size();
    }
    if (connection.step == Step::remove) {
      note(connection.began);
      messages_ += connection.messages;
      return begin(connection);
    }
    connection.step = connection.step == Step::send ? Step::receive : Step::remove;
    load::send_all(connection.fd, protocol_->request(connection.step, handles));
  }

  void note(Steady::time_point began) {
    nanoseconds_.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - began).count());
  }

  // The first connection waits, the second sends to it.
  void wait_and_send() {
    Connection& receiver = connections_[0];
    Connection& sender = connections_[1];
    while (goes_on()) {
      load::send_all(receiver.fd, protocol_->request(Step::wait, {}));
      const timespec pause{0, std::chrono::nanoseconds(kPause).count()};
      nanosleep(&pause, nullptr);
      const auto began = Steady::now();
      load::send_all(sender.fd, protocol_->request(Step::send, {}));
      const Handles handles = protocol_->handles_of(read_answer(receiver));
      if (handles.empty()) load::die("a receiver waited in vain");
      note(began);
      ++messages_;
      (void)read_answer(sender);
      load::send_all(receiver.fd, protocol_->request(Step::remove, handles));
      (void)read_answer(receiver);
    }
  }

  void receive_some(Connection& connection) {
    char bytes[65536];
    const ssize_t count = ::recv(connection.fd, bytes, sizeof bytes, 0);
    if (count <= 0) load::die("the server closed a connection: " + connection.in);
    connection.in.append(bytes, static_cast<size_t>(count));
  }

  std::string read_answer(Connection& connection) {
    size_t size;
    while ((size = protocol_->answer_size(connection.in)) == 0) receive_some(connection);
    const std::string answer = connection.in.substr(0, size);
    connection.in.erase(0, size);
    protocol_->check(answer);
    return answer;
  }

  void report(double elapsed, double cpu) {
    std::sort(nanoseconds_.begin(), nanoseconds_.end());
    const auto at = [&](double share) {
      if (nanoseconds_.empty()) return 0.0;
      const auto place = static_cast<size_t>(share * static_cast<double>(nanoseconds_.size()));
      return static_cast<double>(nanoseconds_[std::min(nanoseconds_.size() - 1, place)]) / 1e3;
    };
    std::printf("{\"requests\": %zu, \"errors\": 0, \"seconds\": %.3f, \"per_second\": %.1f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"max_us\": %.1f, \"server_cpu_seconds\": %.3f}\n",
                messages_, elapsed, static_cast<double>(messages_) / elapsed, at(0.5), at(0.99), at(1),
                cpu);
  }

  const Options options_;
  const std::unique_ptr<QueueProtocol> protocol_;
  const int epoll_;
  std::vector<Connection> connections_;
  bool counting_ = false;
  Steady::time_point begin_counting_at_, counted_from_ = Steady::now();
  double cpu_before_ = 0;
  std::vector<int64_t> nanoseconds_;
  size_t messages_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Load load(parse(argc, argv));
  load.run();
}
