#include "main/backup_endpoint.h"

#include <filesystem>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "main/own_answer.h"
#include "store/backup.h"

namespace tidemill {

namespace {

namespace fs = std::filesystem;
namespace json = base::json;

constexpr size_t kRequestBytesMax = 16 << 10;

// What a start makes anew is left out: bootstraps, scratch directories of functions, and packages as they are unpacked. A zip is
// one of an earlier format that a start could not take in.
bool is_wanted(const fs::path& path) {
  const fs::path top = *path.begin();
  if (top == "runtimes" || top == "scratch") return false;
  return top != "functions" || path == top || path.extension() == ".zip";
}

}  // namespace

Task<net::Response> Backups::answer(net::Request& request) {
  if (request.method != "POST") co_return wrong_method();
  const auto document = json::parse(co_await request.body->read_all(kRequestBytesMax));
  const json::Value* to = document && document->is_object() ? document->find("to") : nullptr;
  if (!to || !to->is_string() || other_member(*document, {"to"})) {
    co_return refusal(400, "the body must be {\"to\": \"/a/directory\"}");
  }
  std::string directory = to->string();
  std::string problem;
  int status = 400;
  try {
    co_await work_.run([this, directory, stop = stop_.get_token()] {
      store::back_up(store_, blobs_, directory, is_wanted, stop);
    });
  } catch (const store::BackupCutShort& error) {
    status = 503;
    problem = base::cat(error.what(), ": the server stops");
  } catch (const store::BackupError& error) {
    problem = error.what();
  }
  if (!problem.empty()) co_return refusal(status, problem);
  base::log_info("backup made", {{"to", directory}});
  co_return json_answer(200, {{"to", directory}});
}

}  // namespace tidemill
