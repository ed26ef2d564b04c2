// Functions in Java, compiled here.
#include <cstdlib>
#include <fstream>
#include <set>

#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class JavaTest : public WorkersTest {
 protected:
  // The bootstrap is compiled once for all tests but the one that lets a function do it.
  static void SetUpTestSuite() {
    compiled_ = fs::temp_directory_path() / base::cat("tidemill-java-", ::getpid());
    HostRuntimes("", false).install(compiled_);
    const std::string here = (compiled_ / "java").string();
    ASSERT_EQ(std::system(base::cat("javac -nowarn --release 11 -d ", here, "/classes $(find ", here, "/src -name '*.java')").c_str()), 0);
  }
  static void TearDownTestSuite() { fs::remove_all(compiled_); }
  void use_compiled() {
    (void)workers();
    fs::create_directory_symlink(compiled_ / "java/classes", directory_ / "runtimes/java/classes");
  }

  // Several classes may stand in one source; `handler` begins with the one that the file is named after.
  std::shared_ptr<FunctionSpec> java(const std::string& source, std::string handler) {
    if (!fs::exists(directory_ / "runtimes/java/classes")) use_compiled();
    const std::string file = handler.substr(0, handler.find(':')) + ".java";
    auto spec = function("java17", std::move(handler), {{file, source}});
    spec->memory_mb = 512;
    const std::string command = base::cat("javac --release 11 -nowarn -sourcepath '", (compiled_ / "java/src").string(), "' -d '",
                                          spec->code.string(), "' '", (spec->code / file).string(), "' 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    fs::remove_all(spec->code / "com");  // on AWS packages may do without
    return spec;
  }
  std::string answer(const std::string& source, const std::string& handler, const std::string& payload) {
    return invoke(java(source, handler), payload).payload;
  }

  static inline fs::path compiled_;
};

TEST_F(JavaTest, TheFirstFunctionCompilesTheBootstrap) {
  const auto spec = java("public class App { public String handle(String text) { return text; } }\n", "App::handle");
  fs::remove(directory_ / "runtimes/java/classes");
  EXPECT_EQ(invoke(spec, R"("tea")").payload, R"("tea")");
  EXPECT_TRUE(fs::exists(directory_ / "runtimes/java/classes/tidemill/runtime/Bootstrap.class"));
  EXPECT_FALSE(fs::is_symlink(directory_ / "runtimes/java/classes"));
}

TEST_F(JavaTest, WhatAPackageBringsIsNotCompiledIntoTheBootstrap) {
  const auto spec = java("public class App { public String handle(String text) { return text; } }\n", "App::handle");
  // In the bootstrap's package it would take the place of java.lang's.
  fs::create_directories(spec->code / "tidemill/runtime");
  std::ofstream(spec->code / "tidemill/runtime/System.java") << "package tidemill.runtime;\nclass System { }\n";
  fs::remove(directory_ / "runtimes/java/classes");
  EXPECT_EQ(invoke(spec, R"("tea")").payload, R"("tea")");
  const auto names = [](const fs::path& classes) {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(classes)) all.insert(fs::relative(entry.path(), classes));
    return all;
  };
  EXPECT_EQ(names(directory_ / "runtimes/java/classes"), names(compiled_ / "java/classes"));
}

TEST_F(JavaTest, AHandlerOfMapsAnswersAndStaysWarm) {
  const auto spec = java("import com.amazonaws.services.lambda.runtime.*;\nimport java.util.*;\n"
                         "public class App implements RequestHandler<Map<String, Object>, Map<String, Object>> {\n"
                         "  static int count = 0;\n"
                         "  public Map<String, Object> handleRequest(Map<String, Object> event, Context context) {\n"
                         "    context.getLogger().log(\"seen\");\n"
                         "    Map<String, Object> out = new TreeMap<>(event);\n"
                         "    out.put(\"count\", ++count); out.put(\"id\", context.getAwsRequestId());\n"
                         "    if (context.getRemainingTimeInMillis() <= 0) throw new IllegalStateException();\n"
                         "    return out;\n  }\n}\n", "App");
  const InvocationResult first = invoke(spec, R"({"x":["é\n",1,2.5,true,null,12345678901]})", true);
  EXPECT_EQ(first.payload, base::cat(R"({"count":1,"id":")", kId, R"(","x":["é\n",1,2.5,true,null,12345678901]})"));
  EXPECT_THAT(first.log_tail, HasSubstr("seen"));
  EXPECT_THAT(invoke(spec).payload, StartsWith(R"({"count":2,)"));
}

TEST_F(JavaTest, AHandlerOfPlainObjectsIsBoundByNames) {
  const std::string source = R"(
import com.amazonaws.services.lambda.runtime.Context;
import java.util.*;
public class App {
  public enum Kind { TEA, COFFEE }
  public static class Line { private Kind kind; private int pots;
    public Kind getKind() { return kind; } public void setKind(Kind kind) { this.kind = kind; }
    public int getPots() { return pots; } public void setPots(int pots) { this.pots = pots; } }
  public static class Order { private String customer; private List<Line> lines; public Map<String, Long> stock; public Date at;
    public String getCustomer() { return customer; } public void setCustomer(String customer) { this.customer = customer; }
    public List<Line> getLines() { return lines; } public void setLines(List<Line> lines) { this.lines = lines; } }
  public Order sell(Order order, Context context) {
    order.getLines().get(0).setPots(order.getLines().get(0).getPots() + 1);
    order.stock.put("left", 5000000000L);
    return order;
  }
})";
  EXPECT_EQ(answer(source, "App::sell",
                   R"({"Customer":"Ada","lines":[{"kind":"TEA","pots":2,"unknown":1}],"stock":{"cups":7},"at":1.5})"),
            R"({"customer":"Ada","lines":[{"kind":"TEA","pots":3}],"stock":{"cups":7,"left":5000000000},"at":1500})");
}

TEST_F(JavaTest, StringsStreamsAndStaticMethodsAreHandlers) {
  const std::string source = R"(
import com.amazonaws.services.lambda.runtime.Context;
import java.io.*;
import java.util.*;
public class App {
  public static String shout(String text) { return text.toUpperCase(); }
  public void copy(InputStream in, OutputStream out, Context context) throws IOException { out.write('['); in.transferTo(out); out.write(']'); }
  public int sum(List<Integer> numbers) { return numbers.stream().mapToInt(each -> each).sum(); }
  public String none() { return null; }
  public String refuse(String text) { return text; }
})";
  const auto spec = java(source, "App::shout");
  const auto with = [&](const std::string& method, const std::string& payload) {
    auto other = std::make_shared<FunctionSpec>(*spec);
    other->handler = "App::" + method;
    other->revision = method;
    return invoke(other, payload).payload;
  };
  EXPECT_EQ(with("shout", R"("tea")"), R"("TEA")");
  EXPECT_EQ(with("copy", R"({"a": 1})"), R"([{"a": 1}])");
  EXPECT_EQ(with("sum", "[1,2,3]"), "6");
  EXPECT_EQ(with("none", "{}"), "null");
  EXPECT_EQ(member(with("refuse", R"({"a":1})"), "errorMessage"),
            "An error occurred during JSON parsing: Cannot make a value of type java.lang.String of an object");
}

TEST_F(JavaTest, AnExceptionHasTheShapeOfAws) {
  const auto spec = java("public class App {\n  static class Trouble extends RuntimeException {\n"
                         "    Trouble(Throwable cause) { super(\"it broke\", cause); }\n  }\n"
                         "  public String handle(String text) {\n    throw new Trouble(new java.io.IOException(\"deep\"));\n  }\n}\n",
                         "App::handle");
  const InvocationResult result = invoke(spec, "\"x\"", true);
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(member(result.payload, "errorType"), "App$Trouble");
  EXPECT_EQ(member(result.payload, "errorMessage"), "it broke");
  const auto document = json::parse(result.payload);
  ASSERT_EQ(document->find("stackTrace")->array().size(), 1U) << result.payload;
  EXPECT_EQ(document->find("stackTrace")->array()[0].string(), "App.handle(App.java:6)");
  EXPECT_EQ(document->find("cause")->find("errorType")->string(), "java.io.IOException");
  EXPECT_THAT(result.log_tail, HasSubstr("it broke: App$Trouble"));
}

TEST_F(JavaTest, CodeThatCannotBeLoadedSaysWhy) {
  const auto spec = java("public class App {\n  static { if (true) throw new IllegalStateException(\"at load\"); }\n"
                         "  public String handle(String text) { return text; }\n}\n", "App::handle");
  const auto error_of = [&](const std::string& handler) {
    auto other = std::make_shared<FunctionSpec>(*spec);
    other->handler = handler;
    other->revision = handler;
    const std::string payload = invoke(other).payload;
    return member(payload, "errorType") + ": " + member(payload, "errorMessage");
  };
  EXPECT_EQ(error_of("shop.Nothing::handle"), "java.lang.ClassNotFoundException: Class not found: shop.Nothing");
  EXPECT_THAT(error_of("App::handle"), StartsWith("java.lang.ExceptionInInitializerError"));
  const auto plain = java("public class Plain { public String handle(String text) { return text; } }\n", "Plain::none");
  EXPECT_THAT(member(invoke(plain).payload, "errorMessage"), StartsWith("No public method named none"));
}

// What a package brings of AWS's own client takes the place of our bootstrap. This one only does what shows that.
TEST_F(JavaTest, AClientOfTheRuntimeApiInThePackageIsUsed) {
  const auto spec = java("public class App { }\n", "App::any");
  const std::string client = R"(package com.amazonaws.services.lambda.runtime.api.client;
import java.net.*; import java.net.http.*;
public class AWSLambda {
  public static void main(String[] arguments) throws Exception {
    String api = "http://" + System.getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/invocation/";
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (;;) {
      HttpResponse<String> next = http.send(HttpRequest.newBuilder(URI.create(api + "next")).build(), HttpResponse.BodyHandlers.ofString());
      String id = next.headers().firstValue("Lambda-Runtime-Aws-Request-Id").get();
      http.send(HttpRequest.newBuilder(URI.create(api + id + "/response"))
          .POST(HttpRequest.BodyPublishers.ofString("\"its own, for " + arguments[0] + "\"")).build(), HttpResponse.BodyHandlers.ofString());
    }
  }
})";
  std::ofstream(spec->code / "AWSLambda.java") << client;
  ASSERT_EQ(std::system(base::cat("javac --release 11 -d '", spec->code.string(), "' '", (spec->code / "AWSLambda.java").string(), "'").c_str()), 0);
  EXPECT_EQ(invoke(spec).payload, R"("its own, for App::any")");
}

}  // namespace
}  // namespace tidemill::engine
