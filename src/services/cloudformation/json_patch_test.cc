// JSON Patch: what each operation does, and what is refused.
#include "services/cloudformation/json_patch.h"

#include <gtest/gtest.h>

namespace tidemill::cloudformation {
namespace {

std::string patched(std::string_view document, std::string_view patch) {
  try {
    return json::write(apply_patch(*json::parse(document), patch));
  } catch (const PatchRefused& error) {
    return error.what();
  }
}

TEST(JsonPatch, OperationsDoWhatTheirNamesSay) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":[2]}])"), R"({"a":1,"b":[2]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])"), R"({"a":2})");
  EXPECT_EQ(patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}])"),
            R"({"a":[1,2,3,4]})");
  EXPECT_EQ(patched(R"({"a":1,"b":[1,2]})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b/0"}])"), R"({"b":[2]})");
  EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"replace","path":"/a/b","value":"c"}])"), R"({"a":{"b":"c"}})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":{}}])"), "{}");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/c"}])"),
            R"({"b":1,"c":1})");
  EXPECT_EQ(patched(R"({"a/b":{"c~d":1}})", R"([{"op":"test","path":"/a~1b/c~0d","value":1.0},{"op":"remove","path":"/a~1b"}])"),
            "{}");
}

TEST(JsonPatch, WhatCannotBeAppliedIsRefused) {
  const auto refused = [](std::string_view patch) { return patched(R"({"a":{"b":[1]}})", patch); };
  EXPECT_EQ(refused(R"([{"op":"remove","path":"/x"}])"), "there is nothing at '/x'");
  EXPECT_EQ(refused(R"([{"op":"replace","path":"/a/b/1","value":1}])"), "there is nothing at '/a/b/1'");
  EXPECT_EQ(refused(R"([{"op":"replace","path":"/a/b/01","value":1}])"), "there is nothing at '/a/b/01'");
  EXPECT_EQ(refused(R"([{"op":"add","path":"/a/b/2","value":1}])"), "there is nothing at '/a/b/2'");
  EXPECT_EQ(refused(R"([{"op":"add","path":"/a/b/0/c","value":1}])"), "there is nothing at '/a/b/0/c'");
  EXPECT_EQ(refused(R"([{"op":"test","path":"/a/b/0","value":2}])"), "the value at '/a/b/0' is another one");
  EXPECT_EQ(refused(R"([{"op":"move","from":"/a","path":"/a/b/c"}])"), "'/a' cannot be moved into itself");
  EXPECT_EQ(refused(R"([{"op":"turn","path":"/a"}])"), "there is no operation 'turn'");
  EXPECT_EQ(refused(R"([{"op":"add","path":"/a"}])"), "the operation add has no value");
  EXPECT_EQ(refused(R"([{"op":"remove","path":"a"}])"), "'a' is no JSON pointer");
  EXPECT_EQ(refused(R"([{"op":"remove","path":"/a~2"}])"), "'/a~2' is no JSON pointer");
  EXPECT_EQ(refused(R"([{"op":"remove"}])"), "an operation of the patch has no path");
  EXPECT_EQ(refused("[1]"), "an operation of the patch is no object");
  EXPECT_EQ(refused("{}"), "the patch is no list of operations");
  EXPECT_EQ(refused("["), "the patch is no list of operations");
}

TEST(JsonPatch, CopiesOfTheWholeEndBeforeTheyFillTheMemory) {
  std::string patch = "[";
  for (int i = 0; i < 40; ++i) {
    patch += (i == 0 ? "" : ",") + (R"({"op":"copy","from":"","path":"/a)" + std::to_string(i) + R"("})");
  }
  EXPECT_EQ(patched(R"({"a":1})", patch + "]"), "the patch puts more than 262144 bytes into the resource");
}

TEST(JsonPatch, WhatIsPutInHasABound) {
  const auto add = [](size_t size) {
    return R"([{"op":"add","path":"/b","value":")" + std::string(size, 'x') + R"("}])";
  };
  EXPECT_TRUE(patched(R"({"a":1})", add(kPatchedBytesMax - 10)).starts_with(R"({"a":1,"b":"xxx)"));
  EXPECT_EQ(patched(R"({"a":1})", add(kPatchedBytesMax)), "the patch puts more than 262144 bytes into the resource");
  EXPECT_EQ(patched(R"({"a":")" + std::string(100, 'a') + R"("})", add(kPatchedBytesMax - 10)),
            "the resource would have more than 262144 bytes");
  std::string deeper = "[", path;
  for (int i = 0; i < 520; ++i, path += "/a") {
    deeper += (i == 0 ? "" : ",") + (R"({"op":"add","path":")" + path + R"(/a","value":{}})");
  }
  EXPECT_EQ(patched("{}", deeper + "]"), "the resource would be nested too deeply");
}

}  // namespace
}  // namespace tidemill::cloudformation
