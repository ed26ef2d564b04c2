#include "main/check_command.h"

#include <cstdio>
#include <map>

#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "services/lambda/function.h"
#include "services/lambda/layer.h"
#include "services/lambda/package_record.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/object.h"
#include "store/blobs.h"
#include "store/keys.h"
#include "store/resources.h"
#include "store/stopped_pond.h"

namespace tidemill {

namespace {

namespace fs = std::filesystem;
using base::cat;

constexpr int kDamaged = 1;
constexpr int kNothingToCheck = 2;

// What the services' records refer to, beside what the store itself knows.
class References {
 public:
  References(const store::StoppedPond& pond, fs::path data, store::Findings& findings)
      : pond_(pond), data_(std::move(data)), findings_(findings) {}

  void check() {
    each(store::Range::prefix(std::string(1, static_cast<char>(store::KeySpace::bucket))),
         &References::check_in_bucket);
    each(store::all_resources_range(), &References::note_function);
    for (const auto& [digest, package] : packages_) check_package(digest, package);
  }

 private:
  void each(const store::Range& range, void (References::*look)(std::string_view key, std::string_view value)) {
    const auto look_at = [&](std::string_view key, std::string_view value) {
      try {
        (this->*look)(key, value);
      } catch (const std::exception& error) {
        findings_.damage.push_back(cat("the record ", base::hex_of(key), " is not readable: ", error.what()));
      }
    };
    try {
      pond_.for_each(range, look_at);
    } catch (const std::exception& error) {
      findings_.damage.push_back(cat("not all records could be read: ", error.what()));
    }
  }

  void check_in_bucket(std::string_view key, std::string_view value) {
    const std::string_view bucket = key.substr(1, s3::kBucketIdSize);
    switch (key.at(1 + s3::kBucketIdSize)) {
      case 'o':
      case 'v':
        check_object(bucket, s3::decode_object(value));
        break;
      case 'l':
        check_pieces(bucket, s3::decode_pieces(value).pieces);
        break;
      case 'p':
        check_part(bucket, s3::decode_part(value));
        break;
      default:
        break;
    }
  }

  void check_object(std::string_view bucket, const s3::Object& object) {
    check_pieces(bucket, object.body.pieces);
    uint64_t bytes = bytes_of(object.body.pieces);
    if (!object.body.list.empty()) {
      const auto list = require(s3::piece_list_key(bucket, object.body.list), "list of the pieces", object.body.list);
      if (!list) return;
      bytes = bytes_of(s3::decode_pieces(*list).pieces);
    }
    if (bytes != object.size) {
      findings_.damage.push_back(cat("an object with the entity tag ", object.etag, " is to have ", object.size,
                                     " bytes, and the pieces of its body have ", bytes));
    }
  }

  void check_part(std::string_view bucket, const s3::Part& part) {
    check_pieces(bucket, part.pieces);
    if (const uint64_t bytes = bytes_of(part.pieces); bytes != part.size) {
      findings_.damage.push_back(cat("a part of an upload is to have ", part.size, " bytes, and its pieces have ", bytes));
    }
  }

  static uint64_t bytes_of(const std::vector<s3::Piece>& pieces) {
    uint64_t bytes = 0;
    for (const s3::Piece& piece : pieces) bytes += piece.size;
    return bytes;
  }

  void check_pieces(std::string_view bucket, const std::vector<s3::Piece>& pieces) {
    for (const s3::Piece& piece : pieces) {
      std::optional<uint64_t> there;
      if (piece.kind == s3::Piece::Kind::blob) {
        if (require(reference_key(piece.id), "count of references", piece.id)) there = pond_.blob_bytes(piece.id);
      } else if (const auto body = require(s3::stored_body_key(bucket, piece.id), "record", piece.id)) {
        there = body->size();
      }
      if (!there || *there >= piece.offset + piece.size) continue;
      findings_.damage.push_back(cat("an object refers to ", piece.offset + piece.size, " bytes of the body ",
                                     base::hex_of(piece.id), ", which has ", *there));
    }
  }

  static std::string reference_key(std::string_view blob) {
    return cat(static_cast<char>(store::KeySpace::blob), blob);
  }

  std::optional<std::string> require(const std::string& key, std::string_view what, std::string_view id) {
    auto value = pond_.get(key);
    if (!value) {
      findings_.damage.push_back(
          cat("an object refers to the body ", base::hex_of(id), ", whose ", what, " is missing"));
    }
    return value;
  }

  void note_function(std::string_view key, std::string_view value) {
    if (auto parsed = lambda::parse_function_key(key)) {
      const lambda::Function function = lambda::decode_function(*std::move(parsed), value);
      ++packages_[function.code_digest].functions;
      for (const lambda::FunctionLayer& layer : function.layers) ++packages_[layer.digest].functions;
    } else if (const auto layer = lambda::find_layer_version(key, value)) {
      ++packages_[layer->code_digest].functions;
    } else if (const auto digest = lambda::parse_package_key(key)) {
      packages_[*digest].record = lambda::decode_package(value);
    }
  }

  struct Package {
    int64_t functions = 0;  // that name it, and layers
    std::optional<lambda::PackageRecord> record;
  };

  void check_package(const std::string& digest, const Package& package) {
    const auto find = [&](const auto&... how) {
      findings_.damage.push_back(cat("the package ", digest, " of a function ", how...));
    };
    if (!package.record) {
      check_earlier_package(digest, find);
      return;
    }
    const store::BlobId& blob = package.record->blob;
    if (package.functions != package.record->functions) {
      find("is named by ", package.functions, " and counted by ", package.record->functions);
    }
    if (!pond_.get(reference_key(blob.bytes))) {
      find("lies in the body ", base::hex_of(blob.bytes), ", whose count of references is missing");
    }
    const auto bytes = pond_.blob_bytes(blob.bytes);
    if (!bytes) {
      find("is missing: there is no body ", base::hex_of(blob.bytes));
    } else if (*bytes != static_cast<uint64_t>(package.record->bytes)) {
      find("is to have ", package.record->bytes, " bytes, and its body ", base::hex_of(blob.bytes), " has ", *bytes);
    } else {
      compare(blob.bytes, digest, find);
    }
  }

  // Format 4 kept them beside the store; the next start takes them in.
  template <class Find>
  void check_earlier_package(const std::string& digest, Find find) {
    const fs::path path = data_ / "functions" / (digest + ".zip");
    if (!fs::exists(path)) {
      find("is missing");
    } else if (base::hex_of(crypto::sha256(base::read_file(path))) != digest) {
      find("is not what was uploaded");
    }
  }

  template <class Find>
  void compare(std::string_view blob, const std::string& digest, Find find) const {
    try {
      if (base::hex_of(crypto::sha256(pond_.read_blob(blob))) != digest) find("is not what was uploaded");
    } catch (const std::exception& error) {
      find("cannot be read: ", error.what());
    }
  }

  const store::StoppedPond& pond_;
  const fs::path data_;
  store::Findings& findings_;
  std::map<std::string, Package> packages_;  // by digest
};

store::Findings find_all(const fs::path& data) {
  store::Findings findings;
  store::StoppedPond pond(data, findings);
  pond.check_tables();
  pond.check_blobs();
  if (pond.is_open()) References(pond, data, findings).check();
  return findings;
}

}  // namespace

fs::path parse_check_options(std::span<const std::string_view> arguments, const Environment& environment) {
  std::vector<std::string_view> as_served{"serve"};
  as_served.insert(as_served.end(), arguments.begin(), arguments.end());
  for (const std::string_view argument : arguments) {
    if (argument.starts_with("--") && !argument.starts_with("--data")) {
      throw UsageError(cat("check: unknown flag \"", argument, "\": tidemill check --data DIR"));
    }
  }
  return parse_options(as_served, environment).data;
}

int check_pond(const fs::path& data) {
  store::Findings findings;
  try {
    findings = find_all(data);
  } catch (const store::OpenError& error) {
    std::fprintf(stderr, "tidemill: %s\n", error.what());
    return kNothingToCheck;
  }
  for (const std::string& line : findings.notes) std::printf("note: %s\n", line.c_str());
  for (const std::string& line : findings.damage) std::printf("damage: %s\n", line.c_str());
  if (findings.damage.empty()) std::printf("nothing is damaged in %s\n", data.c_str());
  return findings.damage.empty() ? 0 : kDamaged;
}

}  // namespace tidemill
