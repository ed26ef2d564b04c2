// Any bytes, cut anywhere, as a browser's form: fields and a file, or an Error; the cuts change nothing.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/error.h"
#include "wire/form_data.h"

namespace {

using namespace tidemill::wire;

struct Result {
  std::string content;
  FormFields fields;
  std::optional<std::string> file_name;
  std::string error;
};

Result read(std::string_view bytes, size_t step) {
  FormDataDecoder decoder("b");
  Result result;
  try {
    for (size_t at = 0; at < bytes.size(); at += step) decoder.feed(bytes.substr(at, step), result.content);
    decoder.finish();
  } catch (const Error& error) {
    result.error = error.code;
    return result;
  }
  result.fields = decoder.fields();
  result.file_name = decoder.file_name();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result whole = read(bytes, bytes.size() + 1);
  const Result cut = read(bytes, 1 + data[0] % 16);
  if (whole.error != cut.error) std::abort();
  if (whole.error.empty() &&
      (whole.content != cut.content || whole.fields != cut.fields || whole.file_name != cut.file_name)) {
    std::abort();
  }
  (void)FormDataDecoder::boundary_of(bytes);
  return 0;
}
