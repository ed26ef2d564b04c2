// Any bytes as CBOR: read to the end, or a SerializationException, nothing else; what is skipped is what is read.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/cbor.h"
#include "wire/error.h"

namespace {

using namespace tidemill::wire;

// As generated code does with members it knows, by what their names ask for.
void read_map(cbor::Reader& in) {
  auto map = in.open_map();
  while (in.more(map)) {
    const std::string name(in.key());
    if (in.null()) continue;
    switch (name.empty() ? 0 : name[0]) {
      case 'm': read_map(in); break;
      case 's': (void)in.text(); break;
      case 'b': (void)in.bytes(); break;
      case 'i': (void)in.integer(); break;
      case 'n': (void)in.number(); break;
      case 't': (void)in.timestamp(); break;
      case 'o': (void)in.boolean(); break;
      case 'l': {
        auto list = in.open_list();
        while (in.more(list)) {
          in.refuse_null();
          (void)in.text();
        }
        break;
      }
      default: in.skip();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  bool read = false;
  try {
    cbor::Reader in(bytes, cbor::TimeUnit::milliseconds);
    read_map(in);
    in.finish();
    read = true;
  } catch (const Error&) {
    // What wrong bytes are for.
  }
  try {
    cbor::Reader in(bytes, cbor::TimeUnit::seconds);
    in.skip();
    in.finish();
  } catch (const Error&) {
    if (read) std::abort();
  }
  return 0;
}
