#include "main/backup_endpoint.h"

#include <filesystem>

#include "base/json.h"
#include "base/log.h"
#include "base/uuid.h"
#include "store/backup.h"

namespace tidemill {

namespace {

namespace fs = std::filesystem;
namespace json = base::json;

constexpr size_t kRequestBytesMax = 16 << 10;

net::Response answer_with(int status, const json::Object& body) {
  net::Response response;
  response.status = status;
  response.headers.add("content-type", "application/json");
  response.headers.add("x-amzn-requestid", base::new_uuid());
  response.body = json::write(body) + "\n";
  return response;
}

// What a start makes anew is left out: bootstraps, scratch directories of functions, and packages as they are unpacked.
bool is_wanted(const fs::path& path) {
  const fs::path top = *path.begin();
  if (top == "runtimes" || top == "scratch") return false;
  return top != "functions" || path == top || path.extension() == ".zip";
}

}  // namespace

Task<net::Response> Backups::answer(net::Request& request) {
  const auto document = json::parse(co_await request.body->read_all(kRequestBytesMax));
  const json::Value* to = document && document->is_object() ? document->find("to") : nullptr;
  if (!to || !to->is_string()) co_return answer_with(400, {{"error", "the body must be {\"to\": \"/a/directory\"}"}});
  std::string directory = to->string();
  std::string problem;
  try {
    co_await work_.run([this, directory] { store::back_up(store_, blobs_, directory, is_wanted); });
  } catch (const store::BackupError& error) {
    problem = error.what();
  }
  if (!problem.empty()) co_return answer_with(400, {{"error", problem}});
  base::log_info("backup made", {{"to", directory}});
  co_return answer_with(200, {{"to", directory}});
}

}  // namespace tidemill
