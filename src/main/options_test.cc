#include "main/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <vector>

namespace tidemill {
namespace {

using testing::HasSubstr;

Options parse(std::vector<std::string_view> arguments, std::map<std::string, std::string> environment = {}) {
  environment.emplace("HOME", "/home/miller");
  return parse_options(arguments, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
}

std::string refusal(std::vector<std::string_view> arguments, std::map<std::string, std::string> environment = {}) {
  try {
    parse(std::move(arguments), std::move(environment));
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "accepted";
}

TEST(Options, WithoutFlagsTheDefaultsHold) {
  const Options options = parse({"serve"});
  EXPECT_EQ(options.command, Command::serve);
  EXPECT_EQ(options.data, "/home/miller/.local/share/tidemill");
  EXPECT_EQ(options.port, 4566);
  EXPECT_EQ(options.bind, "127.0.0.1");
  EXPECT_EQ(options.clock, ClockKind::real);
  EXPECT_EQ(options.account, "000000000000");
  EXPECT_FALSE(options.lenient);
}

TEST(Options, FlagsMayBeWrittenWithASpaceOrAnEqualsSign) {
  const Options options = parse({"serve", "--port", "0", "--clock=virtual", "--data=/x=y", "--strict-runtimes",
                                 "--throttle", "--lenient", "--window-idle-wait", "5", "--grace=30"});
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.window_idle_wait_seconds, 5);
  EXPECT_EQ(options.grace_seconds, 30);
  EXPECT_EQ(options.clock, ClockKind::virtual_time);
  EXPECT_EQ(options.data, "/x=y");
  EXPECT_TRUE(options.strict_runtimes);
  EXPECT_TRUE(options.throttle);
  EXPECT_TRUE(options.lenient);
}

TEST(Options, TheMasterKeyIsKeptApartFromTheData) {
  EXPECT_EQ(parse({"serve"}).key_directory, "/home/miller/.config/tidemill/keys");
  EXPECT_EQ(parse({"serve"}, {{"XDG_CONFIG_HOME", "/etc/mill"}}).key_directory, "/etc/mill/tidemill/keys");
  EXPECT_EQ(parse({"serve"}).key_file, "");
  EXPECT_EQ(parse({"serve"}, {{"TIDEMILL_KEY_FILE", "/k/a"}}).key_file, "/k/a");
  EXPECT_EQ(parse({"serve", "--data", "/d", "--key-file", "/d.key"}).key_file, "/d.key");
  EXPECT_EQ(refusal({"serve", "--data", "/d", "--key-file", "/x/../d/key"}),
            "--key-file: /x/../d/key lies in the data directory /d: the master key is kept, and backed up, apart from what "
            "it opens");
  EXPECT_EQ(parse({"serve", "--data", "/home/miller"}).key_directory, "") << "there is no other place";
}

TEST(Options, ALinkIntoTheDataIsNoOtherPlace) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::temp_directory_path() / ("tidemill-options-" + std::to_string(::getpid()));
  fs::create_directories(directory / "data");
  fs::create_directory_symlink("data", directory / "elsewhere");
  const std::string data = directory / "data";
  const std::string refused = refusal({"serve", "--data", data.c_str(), "--key-file", (directory / "elsewhere/key").c_str()});
  EXPECT_TRUE(refused.contains(" lies in the data directory ")) << refused;
  EXPECT_EQ(parse({"serve", "--data", data.c_str(), "--key-file", (directory / "key").c_str()}).key_file, directory / "key");
  fs::remove_all(directory);
}

TEST(Options, TheCacheIsGivenInBytesOrBinaryMultiples) {
  EXPECT_EQ(parse({"serve"}).cache_bytes, 0u);
  EXPECT_EQ(parse({"serve", "--cache", "1048576"}).cache_bytes, 1u << 20);
  EXPECT_EQ(parse({"serve", "--cache", "256M"}).cache_bytes, 256u << 20);
  EXPECT_EQ(parse({"serve", "--cache=3G"}).cache_bytes, uint64_t{3} << 30);
  EXPECT_EQ(parse({"serve"}, {{"TIDEMILL_CACHE", "2048K"}}).cache_bytes, 2u << 20);
  for (const auto* wrong : {"", "M", "1", "1023K", "1025G", "99999999999999999999", "20000000000000G", "1.5G", "-1M", "1m"}) {
    EXPECT_THAT(refusal({"serve", "--cache", wrong}), HasSubstr("is not a size from 1M to 1024G")) << wrong;
  }
}

TEST(Options, TheCommandLineHasPrecedenceOverTheEnvironment) {
  const std::map<std::string, std::string> environment = {
      {"TIDEMILL_PORT", "1"}, {"TIDEMILL_ACCOUNT", "123456789012"}, {"TIDEMILL_STRICT_RUNTIMES", "1"}};
  const Options options = parse({"serve", "--port", "2"}, environment);
  EXPECT_EQ(options.port, 2);
  EXPECT_EQ(options.account, "123456789012");
  EXPECT_TRUE(options.strict_runtimes);
}

TEST(Options, AnEmptyEnvironmentVariableCountsAsNone) {
  const Options options = parse({"serve"}, {{"TIDEMILL_STRICT_RUNTIMES", ""}, {"TIDEMILL_PORT", ""}, {"TIDEMILL_DATA", ""}});
  EXPECT_FALSE(options.strict_runtimes);
  EXPECT_EQ(options.port, 4566);
  EXPECT_EQ(options.data, "/home/miller/.local/share/tidemill");
}

TEST(Options, HelpIsShownWhateverElseIsWrong) {
  EXPECT_EQ(parse({"serve", "--port", "many", "--help"}).command, Command::help);
  EXPECT_EQ(parse({"serve", "-h"}, {{"TIDEMILL_PORT", "many"}}).command, Command::help);
}

TEST(Options, DataGoesBelowXdgDataHomeIfThatIsAbsolute) {
  EXPECT_EQ(parse({"serve"}, {{"XDG_DATA_HOME", "/data"}}).data, "/data/tidemill");
  EXPECT_EQ(parse({"serve"}, {{"XDG_DATA_HOME", "data"}}).data, "/home/miller/.local/share/tidemill");
}

TEST(Options, ARelativeDataDirectoryIsMeantFromWhereTheServerStarts) {
  EXPECT_EQ(parse({"serve", "--data", "here/data"}).data, std::filesystem::current_path() / "here/data");
}

TEST(Options, WhatMakesNoSenseIsRefusedByName) {
  EXPECT_THAT(refusal({"mill"}), HasSubstr("mill"));
  EXPECT_THAT(refusal({"version", "x"}), HasSubstr("\"x\""));
  EXPECT_THAT(refusal({"serve", "--no-such"}), HasSubstr("--no-such"));
  EXPECT_THAT(refusal({"serve", "stray"}), HasSubstr("stray"));
  EXPECT_THAT(refusal({"serve", "--port"}), HasSubstr("--port"));
  EXPECT_THAT(refusal({"serve", "--port", "70000"}), HasSubstr("70000"));
  EXPECT_THAT(refusal({"serve", "--port", "12x"}), HasSubstr("12x"));
  EXPECT_THAT(refusal({"serve", "--account", "12"}), HasSubstr("12 digits"));
  EXPECT_THAT(refusal({"serve", "--clock", "sundial"}), HasSubstr("sundial"));
  EXPECT_THAT(refusal({"serve"}, {{"TIDEMILL_PORT", "x"}}), HasSubstr("TIDEMILL_PORT"));
}

TEST(Options, SayWhoIsBelieved) {
  EXPECT_EQ(parse({"serve"}).auth, Auth::open);
  EXPECT_EQ(parse({"serve", "--auth", "signed"}).auth, Auth::checked);
  EXPECT_EQ(parse({"serve", "--auth", "iam"}).auth, Auth::judged);
  EXPECT_THAT(refusal({"serve", "--auth", "x"}), HasSubstr("open, signed or iam"));
}

TEST(Options, OtherThanLoopbackAddressesNeedSignaturesAndAWordOfAProxy) {
  for (const std::string_view address : {"0.0.0.0", "::", "192.0.2.1", "example.com"}) {
    EXPECT_THAT(refusal({"serve", "--bind", address}), HasSubstr("authentication"));
    EXPECT_THAT(refusal({"serve", "--bind", address, "--behind-proxy"}), HasSubstr("authentication"));
    EXPECT_THAT(refusal({"serve", "--auth", "signed", "--bind", address}), HasSubstr("encrypted"));
  }
  EXPECT_THAT(refusal({"serve", "--tls-self-signed", "--bind", "192.0.2.1"}), HasSubstr("authentication"));
  EXPECT_EQ(parse({"serve", "--bind", "192.0.2.1", "--auth", "signed", "--tls-self-signed"}).bind, "192.0.2.1");
  EXPECT_THAT(refusal({"serve", "--bind", ""}), HasSubstr("address"));
  EXPECT_EQ(parse({"serve", "--bind", "192.0.2.1", "--auth", "signed", "--behind-proxy"}).bind, "192.0.2.1");
  EXPECT_EQ(parse({"serve", "--bind", "localhost"}).bind, "127.0.0.1");
  EXPECT_EQ(parse({"serve", "--bind", "::1"}).bind, "::1");
}

TEST(Options, FunctionsAreContainedWhereOthersReachTheServer) {
  EXPECT_FALSE(wants_sandbox(parse({"serve"})));
  EXPECT_FALSE(wants_sandbox(parse({"serve", "--tls-self-signed"})));
  EXPECT_TRUE(wants_sandbox(parse({"serve", "--sandbox", "on"})));
  EXPECT_TRUE(wants_sandbox(parse({"serve", "--auth", "signed", "--behind-proxy"})));
  EXPECT_TRUE(wants_sandbox(parse({"serve", "--bind", "192.0.2.1", "--auth", "signed", "--tls-self-signed"})));
  EXPECT_FALSE(wants_sandbox(parse({"serve", "--auth", "signed", "--behind-proxy", "--sandbox", "off"})));
  EXPECT_THAT(refusal({"serve", "--sandbox", "maybe"}), HasSubstr("on, off or auto"));
}

TEST(Options, ANetworkIsKeptFromFunctionsBySandboxesOnly) {
  EXPECT_THAT(refusal({"serve", "--function-network", "none"}), HasSubstr("--sandbox on"));
  EXPECT_THAT(refusal({"serve", "--function-network", "none", "--sandbox", "on", "--bind", "::1"}), HasSubstr("IPv4"));
  EXPECT_THAT(refusal({"serve", "--function-network", "some"}), HasSubstr("open or none"));
  EXPECT_EQ(parse({"serve", "--function-network", "none", "--sandbox", "on"}).function_network, engine::FunctionNetwork::none);
}

TEST(Options, ACertificateNeedsItsKey) {
  EXPECT_THAT(refusal({"serve", "--tls-cert", "a.pem"}), HasSubstr("--tls-key"));
  EXPECT_THAT(refusal({"serve", "--tls-key", "a.pem"}), HasSubstr("--tls-cert"));
  EXPECT_THAT(refusal({"serve", "--tls-key", "k.pem", "--tls-cert", "c.pem", "--tls-self-signed"}), HasSubstr("only one"));
  const Options options = parse({"serve", "--tls-key", "/k.pem", "--tls-cert", "/c.pem"});
  EXPECT_EQ(options.tls_certificate, "/c.pem");
  EXPECT_EQ(options.tls_key, "/k.pem");
  EXPECT_TRUE(speaks_tls(options));
  EXPECT_FALSE(speaks_tls(parse({"serve"})));
}

TEST(Options, NamesAndOriginsAddUp) {
  const Options options = parse({"serve", "--host", "Mill.Example.", "--host=10.0.0.7", "--host", "[FD00:0::1]",
                                 "--allow-origin", "https://App.example", "--allow-origin", "null"},
                                {{"TIDEMILL_HOST", "one.example, two.example"},
                                 {"TIDEMILL_ALLOW_ORIGIN", "http://app.example:8080"}});
  EXPECT_THAT(options.hosts, testing::ElementsAre("one.example", "two.example", "mill.example", "10.0.0.7", "[fd00::1]"));
  EXPECT_THAT(options.allowed_origins,
              testing::ElementsAre("http://app.example:8080", "https://app.example", "null"));
}

TEST(Options, WhatIsNoNameOrOriginIsRefused) {
  for (const char* host : {"mill.example:80", "http://mill.example", "*", "a b", ".example"}) {
    EXPECT_THAT(refusal({"serve", "--host", host}), HasSubstr("without a port")) << host;
  }
  for (const char* origin : {"app.example", "https://", "https://app.example/", "*", "https://*.example", "https://a@b"}) {
    EXPECT_THAT(refusal({"serve", "--allow-origin", origin}), HasSubstr("without a path")) << origin;
  }
}

TEST(Options, HelpNamesEveryFlag) {
  EXPECT_EQ(parse({}).command, Command::help);
  EXPECT_EQ(parse({"serve", "--help"}).command, Command::help);
  for (const char* flag : {"--data", "--port", "--bind", "--clock", "--account", "--threads", "--host", "--allow-origin"}) {
    EXPECT_THAT(help_text(), HasSubstr(flag));
  }
}

}  // namespace
}  // namespace tidemill
