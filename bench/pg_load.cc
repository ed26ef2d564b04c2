// A load generator for PostgreSQL: N connections, each beginning its next request when the last is answered; what
// http_load.cc is for HTTP.
//
//   pg_load --connect 'host=127.0.0.1 port=5433 user=bench dbname=bench' --statement 'UPDATE … WHERE id = $1'
//           [--param TEXT]... [--calls N] --connections 64 --seconds 5 [--warmup S] [--vary N]
//
// The statement is prepared once on each connection. A request is one call of it, or with --calls N a transaction of N
// calls, sent as one pipeline; the parameters are dealt out to the calls in order. --vary N replaces @@N@@ in parameters by
// a number below N of fixed width (zero-padded), another for each place, and @@R@@ by one that is the same all over the
// request. Prints the line of JSON that http_load prints.
#include <libpq-fe.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "load.h"

namespace {

using Steady = std::chrono::steady_clock;

struct Options {
  std::string connect;
  std::string statement;
  std::vector<std::string> params;
  int calls = 1;
  int connections = 1;
  double seconds = 5;
  double warmup = 0.5;
  uint64_t vary = 1;
};

Options parse(int argc, char** argv) {
  Options options;
  load::parse_flags(argc, argv, [&](std::string_view flag, const char* value) {
    if (flag == "--connect") options.connect = value;
    else if (flag == "--statement") options.statement = value;
    else if (flag == "--param") options.params.emplace_back(value);
    else if (flag == "--calls") options.calls = std::atoi(value);
    else if (flag == "--connections") options.connections = std::atoi(value);
    else if (flag == "--seconds") options.seconds = std::atof(value);
    else if (flag == "--warmup") options.warmup = std::atof(value);
    else if (flag == "--vary") options.vary = std::max<uint64_t>(std::strtoull(value, nullptr, 10), 1);
    else return false;
    return true;
  });
  if (options.calls < 1 || options.params.size() % static_cast<size_t>(options.calls) != 0) {
    load::die("the parameters do not go into the calls");
  }
  return options;
}

// The parameters, with their varying numbers written anew for each request.
class Parameters {
 public:
  explicit Parameters(const Options& options) : vary_(options.vary), texts_(options.params) {
    for (size_t i = 0; i < texts_.size(); ++i) {
      mark(i, "@@N@@", own_places_);
      mark(i, "@@R@@", shared_places_);
    }
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  }

  const char* const* next() {
    for (const Place& place : own_places_) write(place, random() % vary_);
    const uint64_t shared = random() % vary_;
    for (const Place& place : shared_places_) write(place, shared);
    return pointers_.data();
  }

 private:
  static constexpr size_t kWidth = 10;
  struct Place {
    size_t text;
    size_t at;
  };

  void mark(size_t text, std::string_view marker, std::vector<Place>& places) {
    for (size_t at; (at = texts_[text].find(marker)) != std::string::npos;) {
      texts_[text].replace(at, marker.size(), kWidth, '0');
      places.push_back({text, at});
    }
  }
  void write(const Place& place, uint64_t number) {
    for (size_t i = kWidth; i-- > 0; number /= 10) texts_[place.text][place.at + i] = static_cast<char>('0' + number % 10);
  }
  uint64_t random() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  const uint64_t vary_;
  uint64_t state_ = static_cast<uint64_t>(Steady::now().time_since_epoch().count());
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
  std::vector<Place> own_places_, shared_places_;
};

struct Connection {
  PGconn* pg = nullptr;
  bool wants_write = false;
  bool failed = false;  // the request under way
  Steady::time_point sent;
};

struct Tally {
  uint64_t requests = 0;
  uint64_t errors = 0;
  std::string first_error;
  std::vector<uint32_t> nanoseconds;
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options), parameters_(options), epoll_(epoll_create1(0)) {}

  void run() {
    connections_.resize(static_cast<size_t>(options_.connections));
    for (Connection& connection : connections_) open(connection);
    auto counted_from = Steady::now() + duration(options_.warmup);
    auto until = counted_from + duration(options_.seconds);
    bool counting = options_.warmup <= 0;
    for (Connection& connection : connections_) send(connection);
    for (;;) {
      epoll_event events[256];
      const int count = epoll_wait(epoll_, events, 256, 1000);
      const auto now = Steady::now();
      if (!counting && now >= counted_from) {
        counting = true;
        tally_ = {};
        counted_from = now;
        until = now + duration(options_.seconds);
      }
      if (now >= until) break;
      for (int i = 0; i < count; ++i) handle(*static_cast<Connection*>(events[i].data.ptr), events[i].events);
    }
    report(std::chrono::duration<double>(Steady::now() - counted_from).count());
  }

 private:
  static Steady::duration duration(double seconds) {
    return std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(seconds));
  }

  void prepare(PGconn* pg, const char* name, const std::string& text, int params) {
    PGresult* result = PQprepare(pg, name, text.c_str(), params, nullptr);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) load::die(PQerrorMessage(pg));
    PQclear(result);
  }

  void open(Connection& connection) {
    PGconn* pg = connection.pg = PQconnectdb(options_.connect.c_str());
    if (PQstatus(pg) != CONNECTION_OK) load::die(PQerrorMessage(pg));
    prepare(pg, "call", options_.statement, params_per_call());
    prepare(pg, "begin", "BEGIN", 0);
    prepare(pg, "commit", "COMMIT", 0);
    if (PQsetnonblocking(pg, 1) != 0 || PQenterPipelineMode(pg) != 1) load::die(PQerrorMessage(pg));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, PQsocket(pg), &event);
  }

  [[nodiscard]] int params_per_call() const { return static_cast<int>(options_.params.size()) / options_.calls; }

  static void queue(PGconn* pg, const char* name, int params, const char* const* values) {
    if (PQsendQueryPrepared(pg, name, params, values, nullptr, nullptr, 0) != 1) load::die(PQerrorMessage(pg));
  }

  void send(Connection& connection) {
    const char* const* values = parameters_.next();
    connection.sent = Steady::now();
    connection.failed = false;
    if (options_.calls > 1) queue(connection.pg, "begin", 0, nullptr);
    for (int call = 0; call < options_.calls; ++call) {
      queue(connection.pg, "call", params_per_call(), values + call * params_per_call());
    }
    if (options_.calls > 1) queue(connection.pg, "commit", 0, nullptr);
    if (PQpipelineSync(connection.pg) != 1) load::die(PQerrorMessage(connection.pg));
    flush(connection);
  }

  void flush(Connection& connection) {
    const int left = PQflush(connection.pg);
    if (left < 0) load::die(PQerrorMessage(connection.pg));
    if ((left == 1) == connection.wants_write) return;
    connection.wants_write = left == 1;
    epoll_event event{};
    event.events = EPOLLIN | (connection.wants_write ? EPOLLOUT : 0u);
    event.data.ptr = &connection;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, PQsocket(connection.pg), &event);
  }

  void handle(Connection& connection, uint32_t events) {
    if (events & EPOLLOUT) flush(connection);
    if (!(events & EPOLLIN)) return;
    if (PQconsumeInput(connection.pg) != 1) load::die(PQerrorMessage(connection.pg));
    while (!PQisBusy(connection.pg)) {
      PGresult* result = PQgetResult(connection.pg);
      if (!result) continue;  // the end of one statement's results
      const ExecStatusType status = PQresultStatus(result);
      if (status == PGRES_FATAL_ERROR || status == PGRES_PIPELINE_ABORTED) note_error(connection, result);
      PQclear(result);
      if (status != PGRES_PIPELINE_SYNC) continue;
      finish(connection);
      send(connection);
      return;
    }
  }

  void note_error(Connection& connection, const PGresult* result) {
    connection.failed = true;
    if (tally_.first_error.empty()) tally_.first_error = PQresultErrorMessage(result);
  }

  void finish(const Connection& connection) {
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - connection.sent).count();
    tally_.nanoseconds.push_back(static_cast<uint32_t>(std::min<int64_t>(took, UINT32_MAX)));
    ++tally_.requests;
    tally_.errors += connection.failed;
  }

  void report(double elapsed) {
    std::vector<uint32_t>& all = tally_.nanoseconds;
    std::sort(all.begin(), all.end());
    const auto at = [&](double share) {
      if (all.empty()) return 0.0;
      return all[std::min(all.size() - 1, static_cast<size_t>(share * static_cast<double>(all.size())))] / 1e3;
    };
    std::printf("{\"requests\": %llu, \"errors\": %llu, \"seconds\": %.3f, \"per_second\": %.1f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"max_us\": %.1f}\n",
                static_cast<unsigned long long>(tally_.requests), static_cast<unsigned long long>(tally_.errors), elapsed,
                static_cast<double>(tally_.requests) / elapsed, at(0.5), at(0.99), at(1));
    if (tally_.errors > 0) std::fprintf(stderr, "pg_load: the first error:\n%s\n", tally_.first_error.c_str());
  }

  const Options options_;
  Parameters parameters_;
  int epoll_;
  std::vector<Connection> connections_;
  Tally tally_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Load load(options);
  load.run();
}
