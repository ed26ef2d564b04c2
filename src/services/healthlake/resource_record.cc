#include "services/healthlake/resource_record.h"

#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::healthlake {

namespace {

constexpr uint8_t kLayout = 1;

}  // namespace

std::string encode_resource(const ResourceRecord& record) {
  std::string out;
  base::append_u8(out, kLayout);
  base::append_u8(out, record.deleted ? 1 : 0);
  base::append_u64(out, record.version);
  base::append_u32(out, static_cast<uint32_t>(record.epoch));
  base::append_i64(out, record.updated.time_since_epoch().count());
  out.append(record.json);
  return out;
}

ResourceRecord decode_resource(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const bool known = reader.u8() == kLayout;
  ResourceRecord record;
  record.deleted = reader.u8() != 0;
  record.version = reader.u64();
  record.epoch = reader.u32();
  record.updated = base::Time(base::Duration(reader.i64()));
  record.json = reader.rest();
  if (!known || !reader.ok()) throw std::runtime_error("a stored resource is damaged");
  return record;
}

}  // namespace tidemill::healthlake
