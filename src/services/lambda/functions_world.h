// For tests: the operations on functions, called as other services would, on a real store; what runs are real processes.
#pragma once

#include <gmock/gmock.h>

#include "services/lambda/errors.h"
#include "services/lambda/testing.h"

namespace tidemill::lambda {

namespace ops = shapes::ops;

class FunctionsTest : public testing::Test {
 protected:
  FunctionsTest() {
    service_.register_operations(registry_);
    run_on(loop_, service_.start());
  }
  ~FunctionsTest() override { workers_.reset(); }

  static engine::WorkersOptions options(const TestDirectory& directory) {
    engine::WorkersOptions options;
    options.endpoint = "http://127.0.0.1:4566";
    options.runtimes = directory / "runtimes";
    options.scratch = directory / "scratch";
    return options;
  }

  template <class Op>
  typename Op::Response call(const typename Op::Request& request) {
    wire::Context context(platform_, "123456789012", "eu-west-1", base::new_uuid(), "test");
    context.endpoint = "http://127.0.0.1:4566";
    return run_on(loop_, registry_.call<Op>(context, request));
  }
  // "Code: message" of the refusal.
  template <class Op>
  std::string refusal(const typename Op::Request& request) {
    try {
      call<Op>(request);
    } catch (const wire::Error& error) {
      return error.code + ": " + error.message;
    }
    return "accepted";
  }

  static shapes::CreateFunctionInput definition(std::string name = "echo") {
    shapes::CreateFunctionInput request;
    request.function_name = std::move(name);
    request.runtime = "python3.11";
    request.handler = "app.handler";
    request.role = "arn:aws:iam::123456789012:role/any";
    request.code.zip_file = zip_of({{"app.py", "def handler(event, context):\n    return event\n"}});
    return request;
  }
  static shapes::InvokeInput invocation(std::string name, std::string payload = "{}") {
    shapes::InvokeInput request;
    request.function_name = std::move(name);
    request.payload = std::move(payload);
    return request;
  }

  TestDirectory directory_;
  base::RealClock clock_;
  base::Metrics metrics_;
  net::Loop loop_{clock_.activity()};
  std::unique_ptr<store::Store> store_ = store::open_rocksdb({directory_ / "store"}, clock_);
  wire::Registry registry_;
  wire::Platform platform_{*store_, clock_, metrics_, registry_};
  std::unique_ptr<engine::Workers> workers_ =
      std::make_unique<engine::Workers>(loop_, clock_, metrics_, options(directory_));
  std::unique_ptr<store::Blobs> blobs_ = store::open_file_blobs(directory_ / "store" / "blobs");
  Service service_{*store_, *blobs_, *workers_, directory_ / "functions"};
};

}  // namespace tidemill::lambda
