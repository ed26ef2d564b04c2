// Policy documents from strangers: checking one either passes or refuses, and what answers carry decodes to what came.
#include <cstdint>
#include <cstdlib>

#include "net/http.h"
#include "services/iam/documents.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto kind : {iam::DocumentKind::identity, iam::DocumentKind::trust}) {
    try {
      iam::check_document(kind, text);
    } catch (const wire::Error& error) {
      if (error.code != "MalformedPolicyDocumentException") std::abort();
    }
  }
  if (iam::counted_size(text) > size) std::abort();
  if (net::percent_decode(iam::url_encoded(text)) != text) std::abort();
  return 0;
}
