// For tests of distributed maps: machines of one, "Each", and a bucket that the test plays.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "services/states/testing.h"
#include "wire/shapes/s3.h"

namespace tidemill::states::testing {

// With a bucket "b" that holds what the test puts there.
class MapWorld : public World {
 public:
  using World::World;

  std::map<std::string, std::string> objects;
  std::string owner = "000000000000";
  std::vector<wire::Principal> askers;  // of objects

  void add_bucket() {
    other_services = [this](wire::Registry& registry) { add_bucket_to(registry); };
    add_bucket_to(*registry);
  }
  void add_bucket_to(wire::Registry& registry) {
    namespace ops = wire::s3::ops;
    registry.add<ops::GetObject>(
        [this](wire::Context& context, const ops::GetObject::Request& request) -> Task<ops::GetObject::Response> {
          askers.push_back(context.principal);
          const auto found = objects.find(request.key);
          if (found == objects.end()) throw wire::Error("NoSuchKey", 404, "The specified key does not exist.");
          if (request.if_match && *request.if_match != "e") throw wire::Error("PreconditionFailed", 412, "changed");
          if (request.expected_bucket_owner.value_or(owner) != owner) {
            throw wire::Error("AccessDenied", 403, "Access Denied");
          }
          const size_t from = request.range ? std::stoul(request.range->substr(6)) : 0;
          if (from > 0 && from >= found->second.size()) throw wire::Error("InvalidRange", 416, "too far");
          ops::GetObject::Response response;
          response.body = wire::BodyStream(found->second.substr(from));
          response.e_tag = "\"e\"";
          co_return response;
        });
    registry.add<ops::PutObject>(
        [this](wire::Context& context, const ops::PutObject::Request& request) -> Task<ops::PutObject::Response> {
          askers.push_back(context.principal);
          objects[request.key] = co_await request.body.read_all(size_t{1} << 24);
          co_return ops::PutObject::Response{};
        });
  }

  std::string map_run(const std::string& arn) {
    const json::Value runs = ask("ListMapRuns", json::write(json::Object{{"executionArn", arn}}));
    return runs.find("mapRuns")->array().at(0).find("mapRunArn")->string();
  }
  json::Value describe_run(const std::string& arn) {
    return ask("DescribeMapRun", json::write(json::Object{{"mapRunArn", map_run(arn)}}));
  }
  std::string item_counts(const std::string& arn) {
    const json::Value described = describe_run(arn);
    std::string text = described.find("status")->string();
    for (const std::string_view name : {"pending", "running", "succeeded", "failed", "aborted", "total"}) {
      text += " " + described.find("itemCounts")->find(name)->number_text();
    }
    return text;
  }
};

inline std::string machine_of(std::string_view fields, std::string_view type = "STANDARD",
                       std::string_view work = R"({"Type":"Task","Resource":"arn:aws:states:::test:do","End":true})") {
  return base::cat(R"({"StartAt":"Each","States":{"Each":{"Type":"Map","End":true,"Label":"each",)", fields,
                   R"("ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":")", type,
                   R"("},"StartAt":"Do","States":{"Do":)", work, "}}}}}");
}

inline constexpr std::string_view kReader =
    R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"k"},
       "ReaderConfig":{"InputType":"JSON","ItemsPointer":"/l"}},)";
inline constexpr std::string_view kWriter =
    R"("ResultWriter":{"Resource":"arn:aws:states:::s3:putObject","Parameters":{"Bucket":"b","Prefix":"out"},
       "WriterConfig":{"Transformation":"COMPACT","OutputType":"JSONL"}},)";

}  // namespace tidemill::states::testing
