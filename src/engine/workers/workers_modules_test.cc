// What functions find beside their own code: layers, the platform's modules, and nothing else of the host's.
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::HasSubstr;

TEST_F(WorkersTest, WhatTheHostHasInstalledIsNoneOfAPythonFunctions) {
  const auto spec = python("from importlib.util import find_spec\n"
                           "def handler(event, context):\n"
                           "    import boto3\n"
                           "    boto3.client('sqs', region_name='eu-west-1')\n"
                           "    return [name for name in event if find_spec(name)]\n");
  EXPECT_EQ(invoke(spec, R"(["pytest", "setuptools", "pip", "apt", "json"])").payload, R"(["json"])");
}

TEST_F(WorkersTest, APythonFunctionIsToldThatItRunsOnAnotherVersion) {
  const auto error = [&](const std::string& runtime, const std::string& source) {
    return member(invoke(function(runtime, "app.handler", {{"app.py", source}})).payload, "errorMessage");
  };
  EXPECT_THAT(error("python3.99", "import nonsense_module"),
              testing::MatchesRegex("Unable to import module 'app': No module named 'nonsense_module' .this host has no Python "
                                    "3.99: the function runs on Python 3.[0-9]+."));
  EXPECT_THAT(error("python3.99", "def handler(:"), HasSubstr("(this host has no Python 3.99: "));
}

TEST_F(WorkersTest, ScriptsOfLayersFindTheInterpreterWhereAwsHasIt) {
  auto spec = python("import os, subprocess\ndef handler(event, context):\n"
                     "    return [subprocess.check_output('tell', text=True), os.path.samefile('/var/task', os.getcwd()),\n"
                     "            os.path.isdir('/var/tmp')]\n");
  spec->layers = directory_ / "layers";
  fs::create_directories(spec->layers / "bin");
  std::ofstream(spec->layers / "bin/tell") << "#!/var/lang/bin/python3\nprint('told')\n";
  fs::permissions(spec->layers / "bin/tell", fs::perms::owner_all);
  EXPECT_EQ(invoke(spec).payload, R"(["told\n", true, true])");
}

TEST_F(WorkersTest, LayersAreFoundWhereNothingCanBeMounted) {
  options_.may_mount = false;
  auto spec = python("import os, subprocess, word\ndef handler(event, context):\n"
                     "    return [word.word, subprocess.check_output('greet', text=True), os.environ['WRAPPED']]\n");
  spec->layers = directory_ / "layers";
  fs::create_directories(spec->layers / "python");
  fs::create_directories(spec->layers / "bin");
  std::ofstream(spec->layers / "python/word.py") << "word = 'tea'\n";
  std::ofstream(spec->layers / "bin/greet") << "#!/bin/sh\necho hello\n";
  std::ofstream(spec->layers / "wrap") << "#!/bin/sh\nexport WRAPPED=yes\nexec \"$@\"\n";
  for (const char* program : {"bin/greet", "wrap"}) fs::permissions(spec->layers / program, fs::perms::owner_all);
  spec->environment["AWS_LAMBDA_EXEC_WRAPPER"] = "/opt/wrap";
  EXPECT_EQ(invoke(spec).payload, R"(["tea", "hello\n", "yes"])");
}

TEST_F(WorkersTest, AWrapperThatIsNoProgramEndsTheStart) {
  auto spec = python("def handler(event, context): pass\n");
  std::ofstream(spec->code / "wrap") << "#!/bin/sh\n";
  spec->environment["AWS_LAMBDA_EXEC_WRAPPER"] = (spec->code / "wrap").string();
  const InvocationResult result = invoke(spec);
  EXPECT_EQ(member(result.payload, "errorType"), "Runtime.ExitError");
  EXPECT_THAT(member(result.payload, "errorMessage"), testing::EndsWith("Runtime exited with error: exit status 126"));
}

TEST_F(WorkersTest, WhatTheHostHasInstalledIsNoneOfANodeFunctions) {
  auto spec = node("exports.handler = async () => { require('word'); };\n");
  // Where the directories above the code have modules.
  fs::create_directories(directory_ / "above/node_modules/word");
  std::ofstream(directory_ / "above/node_modules/word/index.js") << "exports.word = 'tea';\n";
  fs::rename(spec->code, directory_ / "above/code");
  spec->code = directory_ / "above/code";
  EXPECT_THAT(member(invoke(spec).payload, "errorMessage"), HasSubstr("Cannot find module 'word'"));
}

}  // namespace
}  // namespace tidemill::engine
