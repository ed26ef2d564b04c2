#include "main/check_command.h"

#include <cstdio>
#include <set>

#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "services/lambda/function.h"
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
    each(store::all_resources_range(), &References::check_function);
    for (const std::string& digest : packages_) check_package(digest);
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
        check_body(bucket, s3::decode_object(value).body);
        break;
      case 'l':
        check_pieces(bucket, s3::decode_pieces(value).pieces);
        break;
      case 'p':
        check_pieces(bucket, s3::decode_part(value).pieces);
        break;
      default:
        break;
    }
  }

  void check_body(std::string_view bucket, const s3::Body& body) {
    check_pieces(bucket, body.pieces);
    if (!body.list.empty()) require(s3::piece_list_key(bucket, body.list), "list of the pieces", body.list);
  }

  void check_pieces(std::string_view bucket, const std::vector<s3::Piece>& pieces) {
    for (const s3::Piece& piece : pieces) {
      if (piece.kind == s3::Piece::Kind::blob) {
        require(cat(static_cast<char>(store::KeySpace::blob), piece.id), "count of references", piece.id);
      } else {
        require(s3::stored_body_key(bucket, piece.id), "record", piece.id);
      }
    }
  }

  void require(const std::string& key, std::string_view what, std::string_view id) {
    if (pond_.get(key)) return;
    findings_.damage.push_back(cat("an object refers to the body ", base::hex_of(id), ", whose ", what, " is missing"));
  }

  void check_function(std::string_view key, std::string_view value) {
    if (auto parsed = lambda::parse_function_key(key)) {
      packages_.insert(lambda::decode_function(*std::move(parsed), value).code_digest);
    }
  }

  void check_package(const std::string& digest) {
    const fs::path path = data_ / "functions" / (digest + ".zip");
    if (!fs::exists(path)) {
      findings_.damage.push_back(cat("the package ", path.filename().native(), " of a function is missing"));
    } else if (base::hex_of(crypto::sha256(base::read_file(path))) != digest) {
      findings_.damage.push_back(
          cat("the package ", path.filename().native(), " of a function is not what was uploaded"));
    }
  }

  const store::StoppedPond& pond_;
  const fs::path data_;
  store::Findings& findings_;
  std::set<std::string> packages_;
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
