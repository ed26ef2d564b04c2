#include "services/cloudformation/types/inline_code.h"

#include <cstdint>
#include <span>
#include <vector>

#include "base/base64.h"
#include "base/crc32.h"
#include "base/text.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

namespace {

// Answers for a custom resource with what its function made of the request.
constexpr std::string_view kNodeModule = R"js(exports.SUCCESS = "SUCCESS";
exports.FAILED = "FAILED";

exports.send = function (event, context, status, data, physicalId, noEcho) {
  const body = JSON.stringify({
    Status: status,
    Reason: "See the details in CloudWatch Log Stream: " + context.logStreamName,
    PhysicalResourceId: physicalId || context.logStreamName,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
    NoEcho: noEcho || false,
    Data: data,
  });
  const url = new URL(event.ResponseURL);
  const client = require(url.protocol === "http:" ? "http" : "https");
  const headers = { "content-type": "", "content-length": Buffer.byteLength(body) };
  const request = client.request(url, { method: "PUT", headers }, (answer) => {
    answer.resume();
    console.log("Status code: " + answer.statusCode);
    context.done();
  });
  request.on("error", (error) => {
    console.log("The answer could not be sent: " + error);
    context.done();
  });
  request.end(body);
};
)js";

constexpr std::string_view kPythonModule = R"py(import json
import urllib.request

SUCCESS = "SUCCESS"
FAILED = "FAILED"


def send(event, context, responseStatus, responseData, physicalResourceId=None, noEcho=False, reason=None):
    body = json.dumps({
        "Status": responseStatus,
        "Reason": reason or f"See the details in CloudWatch Log Stream: {context.log_stream_name}",
        "PhysicalResourceId": physicalResourceId or context.log_stream_name,
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "NoEcho": noEcho,
        "Data": responseData,
    }).encode("utf-8")
    request = urllib.request.Request(event["ResponseURL"], data=body, method="PUT", headers={"Content-Type": ""})
    try:
        with urllib.request.urlopen(request) as answer:
            print("Status code:", answer.status)
    except Exception as error:
        print("The answer could not be sent:", error)
)py";

struct InlineLanguage {
  std::string_view runtime_prefix;
  std::string_view file;
  std::string_view module;
  std::string_view module_source;
};
constexpr InlineLanguage kInlineLanguages[] = {
    {"nodejs", "index.js", "node_modules/cfn-response.js", kNodeModule},
    {"python", "index.py", "cfnresponse.py", kPythonModule},
};

// ---- The ZIP format (APPNOTE.TXT of PKWARE), files stored as they are ----

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kCentralEnd = 0x06054b50;
constexpr uint16_t kVersion = 20, kMadeByUnix = 3 << 8 | kVersion;
constexpr uint16_t kFirstDay = 0x21;  // 1980-01-01: the same source is the same package
constexpr uint32_t kReadable = 0100644U << 16;

void put16(std::string& out, uint16_t number) {
  out.push_back(static_cast<char>(number & 0xff));
  out.push_back(static_cast<char>(number >> 8));
}
void put32(std::string& out, uint32_t number) {
  put16(out, static_cast<uint16_t>(number & 0xffff));
  put16(out, static_cast<uint16_t>(number >> 16));
}

struct ZippedFile {
  std::string_view name;
  std::string_view text;
};

// What both headers of a file say of it.
void put_facts(std::string& out, const ZippedFile& file) {
  put16(out, kVersion);
  put16(out, 0);  // no flags
  put16(out, 0);  // stored
  put16(out, 0);  // midnight
  put16(out, kFirstDay);
  put32(out, base::crc32(file.text));
  put32(out, static_cast<uint32_t>(file.text.size()));
  put32(out, static_cast<uint32_t>(file.text.size()));
  put16(out, static_cast<uint16_t>(file.name.size()));
  put16(out, 0);  // nothing extra
}

std::string zipped(std::span<const ZippedFile> files) {
  std::string body, directory;
  for (const ZippedFile& file : files) {
    const auto offset = static_cast<uint32_t>(body.size());
    put32(body, kLocalHeader);
    put_facts(body, file);
    body.append(file.name).append(file.text);

    put32(directory, kCentralHeader);
    put16(directory, kMadeByUnix);
    put_facts(directory, file);
    put16(directory, 0);  // no comment
    put16(directory, 0);  // the first disk
    put16(directory, 0);
    put32(directory, kReadable);
    put32(directory, offset);
    directory.append(file.name);
  }
  const auto directory_at = static_cast<uint32_t>(body.size());
  body.append(directory);
  put32(body, kCentralEnd);
  put32(body, 0);  // one disk
  put16(body, static_cast<uint16_t>(files.size()));
  put16(body, static_cast<uint16_t>(files.size()));
  put32(body, static_cast<uint32_t>(directory.size()));
  put32(body, directory_at);
  put16(body, 0);  // no comment
  return body;
}

}  // namespace

std::string inline_package(std::string_view runtime, std::string_view source) {
  for (const InlineLanguage& language : kInlineLanguages) {
    if (!runtime.starts_with(language.runtime_prefix)) continue;
    const ZippedFile files[] = {{language.file, source}, {language.module, language.module_source}};
    return base::base64_encode(zipped(files));
  }
  throw InvalidRequest(base::cat("ZipFile can only be used when Runtime is set to either of nodejs or python; it is ",
                                 runtime.empty() ? "not given" : runtime, "."));
}

}  // namespace tidemill::cloudformation
