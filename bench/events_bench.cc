// How many events a second one core compares with all rules of a bus: events that are documents already, and events
// that are read from their text first.
//
//   events_bench [rounds]
//
// Prints "rules shape events/s events/s-with-reading microseconds-to-build", each the best of all rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "lang/patterns/pattern_set.h"

namespace {

using namespace tidemill;
using lang::patterns::Pattern;
using lang::patterns::PatternSet;

constexpr int kEvents = 2000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Shape {
  const char* name;
  std::string (*pattern)(int rule);
};

std::string exact(int rule) {
  return base::cat(R"({"source":["shop.orders"],"detail-type":["order )", rule % 10, R"("],"detail":{"customer":["c-)",
                   rule, R"("]}})");
}
// No key by itself tells much.
std::string combined(int rule) {
  return base::cat(R"({"detail-type":["order )", rule % 10, R"("],"detail":{"state":["s)", rule / 10 % 30,
                   R"("],"shop":["p)", rule / 300, R"("]}})");
}
std::string prefix(int rule) { return base::cat(R"({"detail":{"customer":[{"prefix":"c-)", rule, R"("}]}})"); }

std::string event(int number, int rules) {
  const int rule = number * 7919 % rules;
  return base::cat(
      R"({"version":"0","id":"6a7e8feb-b491-4cf7-a9f1-bf3703467718","detail-type":"order )", rule % 10,
      R"(","source":"shop.orders","account":"111122223333","time":"2026-12-22T18:43:48Z","region":"us-west-1",)",
      R"("resources":["arn:aws:ec2:us-west-1:123456789012:instance/i-1234567890abcdef0"],)",
      R"("detail":{"customer":"c-)", rule, R"(","state":"s)", rule / 10 % 30, R"(","shop":"p)", rule / 300,
      R"(","amount":12.50,"items":[{"id":"a","n":1},{"id":"b","n":2}]}})");
}

void measure(const Shape& shape, int rules, int rounds) {
  std::vector<std::string> texts;
  std::vector<json::Value> documents;
  for (int i = 0; i < kEvents; ++i) {
    texts.push_back(event(i, rules));
    documents.push_back(json::parse(texts.back()).value());
  }
  double build = 1e9, matched = 1e9, with_reading = 1e9;
  size_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Pattern> patterns;
    for (int i = 0; i < rules; ++i)
      patterns.push_back(Pattern::parse(shape.pattern(i), lang::patterns::event_bridge()));
    double begin = cpu_seconds();
    PatternSet::Builder builder;
    for (Pattern& pattern : patterns) builder.add(std::move(pattern));
    const PatternSet set = std::move(builder).finish();
    build = std::min(build, cpu_seconds() - begin);
    begin = cpu_seconds();
    for (const json::Value& document : documents) found += set.match(document).size();
    matched = std::min(matched, cpu_seconds() - begin);
    begin = cpu_seconds();
    for (const std::string& text : texts) found += set.match(json::parse(text).value()).size();
    with_reading = std::min(with_reading, cpu_seconds() - begin);
  }
  if (found == 0) std::abort();
  std::printf("%6d %-9s %10.0f %10.0f %10.0f\n", rules, shape.name, kEvents / matched, kEvents / with_reading,
              build * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  for (const Shape& shape : {Shape{"exact", exact}, Shape{"combined", combined}, Shape{"prefix", prefix}}) {
    for (const int rules : {1, 100, 10'000}) measure(shape, rules, rounds);
  }
  return 0;
}
