// Bundles of type batch and transaction, as requests: what each entry asks for, read before anything is done.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/fhir/search_query.h"
#include "wire/error.h"

namespace tidemill::healthlake {

// As on AWS.
inline constexpr size_t kBundleEntriesMax = 500;

enum class BundleAction { create, update, remove, read, search };

struct BundleEntry {
  BundleAction action = BundleAction::read;
  std::string full_url;  // "urn:uuid:…" of what others refer to; may be empty
  std::string type;
  std::string id;                      // of a new resource: drawn when it was read
  std::optional<uint64_t> expected;    // ifMatch
  lang::fhir::Parameters parameters;   // of a search
  json::Value resource;                // to create, or to update to
  std::optional<wire::Error> refusal;  // of a batch: why this entry cannot be carried out
};

struct Bundle {
  bool is_transaction = false;
  std::vector<BundleEntry> entries;
};

// Throws 400 for what is no such bundle; of a transaction also for what is wrong with one of its entries. References to
// entries ("urn:uuid:…") are those to the resources then.
[[nodiscard]] Bundle read_bundle(const json::Value& document);

}  // namespace tidemill::healthlake
