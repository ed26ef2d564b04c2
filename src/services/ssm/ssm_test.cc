// Parameters over the simulated store.
#include "services/iam/service.h"
#include "services/kms/key_file_in_memory.h"
#include "services/kms/service.h"
#include "services/ssm/service.h"
#include "services/sts/service.h"
#include "services/test_world.h"

namespace tidemill::ssm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class World : public services::testing::TestWorld {
 public:
  World() : TestWorld({"ssm"}, 1, store::SimFaults::none()) { boot(); }
  ~World() { shut_down(); }

  std::string put(std::string_view name, std::string_view value, std::string_view more = "") {
    return run("PutParameter",
               base::cat(R"({"Name":")", name, R"(","Value":")", value, R"(","Type":"String")", more, "}"));
  }
  std::string value(std::string_view name) {
    const std::string answer = run("GetParameter", base::cat(R"({"Name":")", name, R"("})"));
    return answer.starts_with("{") ? parse(answer).find("Parameter")->find("Value")->string() : answer;
  }
  // As an earlier version has stored it: `text` in place of `was`, wherever that stands.
  void rewrite(std::string was, std::string text) {
    (void)await([](store::Store& all, std::string was, std::string text) -> Task<bool> {
      co_await all.transact([&](store::Transaction& txn) -> Task<void> {
        std::map<std::string, std::string> found;
        co_await txn.scan({"", "\xff"}, store::Direction::forward, [&](std::string_view key, std::string_view value) {
          if (value.contains(was)) found.emplace(key, value);
          return true;
        });
        for (auto& [key, value] : found) txn.put(key, value.replace(value.find(was), was.size(), text));
      });
      co_return true;
    }(*store, std::move(was), std::move(text)));
  }
  // Whether anything in the store contains `text`.
  bool stores(std::string_view text) {
    return await([](store::Store& all, std::string_view wanted) -> Task<bool> {
      bool is_there = false;
      const auto snapshot = all.snapshot();
      co_await snapshot->scan({"", "\xff"}, store::Direction::forward, [&](std::string_view, std::string_view value) {
        is_there |= value.find(wanted) != std::string_view::npos;
        return true;
      });
      co_return is_there;
    }(*store, text));
  }

 private:
  void make_services() override {
    kms_ = std::make_unique<kms::Service>(*platform, std::make_unique<kms::testing::KeyFileInMemory>(files_));
    kms_->register_operations(*registry);
    kms_->register_timers(*timers);
    iam_ = std::make_unique<iam::Service>(*store);
    iam_->register_operations(*registry);
    sts_ = std::make_unique<sts::Service>(*store);
    sts_->register_operations(*registry);
    sts_->register_timers(*timers);
    ssm_ = std::make_unique<Service>(*store);
    ssm_->register_operations(*registry);
  }
  void drop_services() override {
    ssm_.reset();
    sts_.reset();
    iam_.reset();
    kms_.reset();
  }

  kms::testing::KeyFiles files_;
  std::unique_ptr<kms::Service> kms_;
  std::unique_ptr<iam::Service> iam_;
  std::unique_ptr<sts::Service> sts_;
  std::unique_ptr<Service> ssm_;
};

TEST(Parameters, HaveVersionsThatSurviveACrash) {
  World world;
  EXPECT_EQ(world.put("/a/b", "1"), R"({"Version":1,"Tier":"Standard"})");
  EXPECT_THAT(world.put("/a/b", "2"), StartsWith("ParameterAlreadyExists: The parameter already exists."));
  EXPECT_EQ(world.put("/a/b", "2", R"(,"Overwrite":true)"), R"({"Version":2,"Tier":"Standard"})");
  world.crash();
  EXPECT_EQ(world.value("/a/b"), "2");
  EXPECT_EQ(world.value("/a/b:1"), "1");
  EXPECT_EQ(world.value("arn:aws:ssm:us-east-1:000000000000:parameter/a/b:2"), "2");
  EXPECT_THAT(world.value("/a/b:3"), HasSubstr("Systems Manager could not find version 3 of /a/b."));
  EXPECT_THAT(world.value("/a/c"), StartsWith("ParameterNotFound"));
  EXPECT_THAT(world.run("GetParameterHistory", R"({"Name":"/a/b","MaxResults":1})"), HasSubstr(R"("Value":"1")"));
  EXPECT_EQ(world.run("DeleteParameter", R"({"Name":"/a/b"})"), "{}");
  EXPECT_EQ(world.put("/a/b", "9"), R"({"Version":1,"Tier":"Standard"})");
  EXPECT_THAT(world.run("GetParameterHistory", R"({"Name":"/a/b"})"), Not(HasSubstr(R"("Version":2)")));
}

TEST(Parameters, KeepAHundredVersions) {
  World world;
  for (int version = 1; version <= 102; ++version) world.put("p", base::cat(version), R"(,"Overwrite":true)");
  EXPECT_EQ(world.value("p:3"), "3");
  EXPECT_THAT(world.value("p:2"), HasSubstr("could not find version 2 of p"));
  std::string tokens;
  size_t found = 0;
  std::string request = R"({"Name":"p","MaxResults":50})";
  for (int page = 0; page < 3 && !request.empty(); ++page) {
    const json::Value answer = world.ask("GetParameterHistory", request);
    found += answer.find("Parameters")->array().size();
    const json::Value* next = answer.find("NextToken");
    request = next ? base::cat(R"({"Name":"p","MaxResults":50,"NextToken":")", next->string(), R"("})") : "";
  }
  EXPECT_EQ(found, 100U);
}

TEST(Parameters, AreFoundByTheirPaths) {
  World world;
  for (const char* name : {"/a", "/a/x", "/a/b/y", "/a0", "/ab/z", "a"}) world.put(name, "v");
  const auto below = [&](std::string_view path, std::string_view recursive) {
    std::string names;
    const json::Value answer = world.ask("GetParametersByPath", base::cat(R"({"Path":")", path, R"(","Recursive":)",
                                                                          recursive, "}"));
    for (const json::Value& each : answer.find("Parameters")->array()) names += each.find("Name")->string() + " ";
    return names;
  };
  EXPECT_EQ(below("/a", "true"), "/a/b/y /a/x ");
  EXPECT_EQ(below("/a/", "false"), "/a/x ");
  EXPECT_EQ(below("/", "false"), "/a /a0 ");
  EXPECT_THAT(world.run("GetParametersByPath", R"({"Path":"a"})"), StartsWith("ValidationException"));
  EXPECT_THAT(world.run("GetParametersByPath", R"({"Path":"/a","ParameterFilters":[{"Key":"Label","Values":["x"]}]})"),
              HasSubstr("The following filter key is not valid: Label. Valid filter keys include: [Type, KeyId]."));
  EXPECT_THAT(world.run("DescribeParameters",
                        R"({"ParameterFilters":[{"Key":"Name","Option":"BeginsWith","Values":["/ab"]}]})"),
              HasSubstr(R"("Name":"/ab/z")"));
}

TEST(Parameters, NamesAndValuesAreChecked) {
  World world;
  EXPECT_THAT(world.put("awsome", "1"), HasSubstr("can't be prefixed with \"aws\" or \"ssm\" (case-insensitive)."));
  EXPECT_THAT(world.put("/aws/x", "1"),
              StartsWith("AccessDeniedException: No access to reserved parameter name: /aws/x."));
  EXPECT_THAT(world.put("a/b", "1"), HasSubstr("must be a fully qualified name"));
  EXPECT_THAT(world.put("a b", "1"), StartsWith("ValidationException"));
  EXPECT_THAT(world.put("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", "1"),
              StartsWith("HierarchyLevelLimitExceededException"));
  EXPECT_THAT(world.put("p", std::string(4097, 'x')), StartsWith("ValidationException: Standard tier"));
  EXPECT_THAT(world.put("p", "tea", R"(,"AllowedPattern":"[0-9]+")"), StartsWith("ParameterPatternMismatchException"));
  EXPECT_THAT(world.put("p", "tea", R"(,"AllowedPattern":"[")"), StartsWith("InvalidAllowedPatternException"));
  EXPECT_THAT(world.run("PutParameter", R"({"Name":"p","Value":"v"})"),
              HasSubstr("A parameter type is required when you create a parameter."));
  EXPECT_THAT(world.value("p"), StartsWith("ParameterNotFound"));
}

TEST(Parameters, ThatAreSecureLieEncryptedAndSurviveACrash) {
  World world;
  const auto put = [&](std::string_view value, std::string_view more) {
    return world.run("PutParameter", base::cat(R"({"Name":"/s","Value":")", value, R"(","Type":"SecureString")", more, "}"));
  };
  const auto get = [&](std::string_view name) {
    const std::string answer = world.run("GetParameter", base::cat(R"({"Name":")", name, R"(","WithDecryption":true})"));
    return answer.starts_with("{") ? World::parse(answer).find("Parameter")->find("Value")->string() : answer;
  };
  EXPECT_THAT(put("green tea", ""), HasSubstr(R"("Version":1)"));
  world.crash();
  EXPECT_EQ(get("/s"), "green tea");
  EXPECT_THAT(world.value("/s"), Not(HasSubstr("tea")));
  EXPECT_FALSE(world.stores("green tea"));
  EXPECT_THAT(put("black tea", R"(,"Overwrite":true)"), HasSubstr(R"("Version":2)"));
  EXPECT_EQ(get("/s"), "black tea");
  EXPECT_EQ(get("/s:1"), "green tea");
  EXPECT_THAT(world.run("GetParameterHistory", R"({"Name":"/s","WithDecryption":true})"), HasSubstr("green tea"));
  EXPECT_THAT(world.run("GetParameterHistory", R"({"Name":"/s"})"), Not(HasSubstr("tea")));
  EXPECT_THAT(world.run("GetParametersByPath", R"({"Path":"/","WithDecryption":true})"), HasSubstr("black tea"));
  EXPECT_THAT(world.run("GetParametersByPath", R"({"Path":"/"})"), Not(HasSubstr("tea")));
  EXPECT_THAT(world.run("GetParameters", R"({"Names":["/s"],"WithDecryption":true})"), HasSubstr("black tea"));
  EXPECT_THAT(world.run("DescribeParameters", R"({"ParameterFilters":[{"Key":"KeyId","Values":["alias/aws/ssm"]}]})"),
              HasSubstr(R"("KeyId":"alias/aws/ssm")"));
}

TEST(Parameters, ThatAreSecureAreOpenedWithTheirKeyOnly) {
  World world;
  const std::string key = world.ask("kms", "CreateKey", "{}").find("KeyMetadata")->find("KeyId")->string();
  const std::string with_key = base::cat(R"(,"KeyId":")", key, "\"");
  EXPECT_THAT(world.run("PutParameter", base::cat(R"({"Name":"s","Value":"tea","Type":"SecureString")", with_key, "}")),
              HasSubstr(R"("Version":1)"));
  (void)world.run("kms", "DisableKey", base::cat(R"({"KeyId":")", key, R"("})"));
  EXPECT_THAT(world.run("GetParameter", R"({"Name":"s","WithDecryption":true})"),
              HasSubstr("InvalidKeyId: arn:aws:kms:us-east-1:000000000000:key/" + key + " is disabled."));
  EXPECT_THAT(world.put("p", "v", with_key), HasSubstr("KeyId is of parameters of the type SecureString only."));
  EXPECT_THAT(world.run("PutParameter", R"({"Name":"n","Value":"v","Type":"SecureString","KeyId":"alias/none"})"),
              StartsWith("InvalidKeyId: Alias arn:aws:kms:us-east-1:000000000000:alias/none is not found."));
  EXPECT_THAT(world.run("PutParameter", R"({"Name":"n","Value":"","Type":"SecureString"})"),
              StartsWith("ValidationException: A parameter value is required."));
}

TEST(Parameters, VersionsHaveLabels) {
  World world;
  (void)world.put("p", "one");
  (void)world.put("p", "two", R"(,"Overwrite":true)");
  const auto label = [&](std::string_view more) {
    return world.run("LabelParameterVersion", base::cat(R"({"Name":"p",)", more, "}"));
  };
  EXPECT_EQ(label(R"("ParameterVersion":1,"Labels":["live"])"), R"({"InvalidLabels":[],"ParameterVersion":1})");
  EXPECT_EQ(world.value("p:live"), "one");
  EXPECT_EQ(label(R"("Labels":["live","next"])"), R"({"InvalidLabels":[],"ParameterVersion":2})");
  world.crash();
  (void)world.put("p", "three", R"(,"Overwrite":true)");
  EXPECT_EQ(world.value("p:live"), "two");
  EXPECT_THAT(world.run("GetParameterHistory", R"({"Name":"p"})"), HasSubstr(R"("Labels":["live","next"])"));
  EXPECT_EQ(label(R"("Labels":["1st","ssmx","Aws","a b","fine"])"),
            R"({"InvalidLabels":["1st","ssmx","Aws","a b"],"ParameterVersion":3})");
  EXPECT_THAT(world.value("p:fine"), StartsWith("ParameterVersionNotFound"));
  EXPECT_THAT(label(R"("ParameterVersion":9,"Labels":["x"])"), StartsWith("ParameterVersionNotFound"));
  EXPECT_EQ(label(R"("ParameterVersion":1,"Labels":["a","b","c","d","e","f","g","h","i","j"])"),
            R"({"InvalidLabels":[],"ParameterVersion":1})");
  EXPECT_THAT(label(R"("ParameterVersion":1,"Labels":["k"])"), StartsWith("ParameterVersionLabelLimitExceeded"));
  EXPECT_EQ(world.run("UnlabelParameterVersion", R"({"Name":"p","ParameterVersion":2,"Labels":["live","a"]})"),
            R"({"RemovedLabels":["live"],"InvalidLabels":["a"]})");
  EXPECT_THAT(world.value("p:live"), StartsWith("ParameterVersionNotFound"));
  for (int version = 4; version <= 100; ++version) (void)world.put("p", base::cat(version), R"(,"Overwrite":true)");
  EXPECT_THAT(world.put("p", "more", R"(,"Overwrite":true)"),
              HasSubstr("ParameterMaxVersionLimitExceeded: You attempted to create a new version of p"));
}

TEST(Parameters, GiveUpTagsThatEarlierVersionsLetBe) {
  World world;
  (void)world.put("p", "v", R"(,"Tags":[{"Key":"zws:team","Value":"tide"}])");
  world.rewrite("zws:team", "AWS:team");
  const std::string of_p = R"({"ResourceType":"Parameter","ResourceId":"p")";
  EXPECT_THAT(world.run("ListTagsForResource", of_p + "}"), HasSubstr("AWS:team"));
  EXPECT_EQ(world.run("RemoveTagsFromResource", of_p + R"(,"TagKeys":["AWS:team"]})"), "{}");
  EXPECT_THAT(world.run("ListTagsForResource", of_p + "}"), Not(HasSubstr("AWS:team")));
}

TEST(Parameters, RefuseTagsThatCannotBeAtTheCreationAndLater) {
  World world;
  (void)world.put("p", "v");
  const std::string of_p = R"({"ResourceType":"Parameter","ResourceId":"p")";
  const auto refused = [&](std::string_view key, std::string_view value, std::string_view words) {
    const std::string tags = base::cat(R"(,"Tags":[{"Key":")", key, R"(","Value":")", value, "\"}]");
    const auto is_refusal = AllOf(StartsWith("ValidationException: "), HasSubstr(std::string(words)));
    EXPECT_THAT(world.put("q", "v", tags), is_refusal);
    EXPECT_THAT(world.run("AddTagsToResource", base::cat(of_p, tags, "}")), is_refusal);
  };
  constexpr std::string_view kReserved = "Tag keys that begin with aws: are reserved for AWS.";
  for (const char* key : {"aws:a", "AWS:a"}) {
    refused(key, "1", kReserved);
    EXPECT_EQ(world.run("RemoveTagsFromResource", base::cat(of_p, R"(,"TagKeys":[")", key, "\"]}")),
              base::cat("ValidationException: ", kReserved));
  }
  refused("a!", "1", "failed to satisfy constraint");
  refused("a", "{1}", "failed to satisfy constraint");
  refused("a", "", "length greater than or equal to 1");
  refused("a", R"(1"},{"Key":"a","Value":"2)", "Duplicated tag keys are not allowed.");
  EXPECT_EQ(world.run("ListTagsForResource", base::cat(of_p, "}")), R"({"TagList":[]})");
  EXPECT_THAT(world.value("q"), StartsWith("ParameterNotFound"));
}

}  // namespace
}  // namespace tidemill::ssm
