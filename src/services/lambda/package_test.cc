#include "services/lambda/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/lambda/package_store.h"
#include "services/lambda/testing.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kUnreadable = "Could not unzip uploaded file. Please check your file, then try to upload again.";

class PackageTest : public testing::Test {
 protected:
  // Why the package cannot be used; "" if it was unpacked.
  std::string unpack_all(const std::string& zip) {
    fs::remove_all(out_);
    std::ofstream(directory_ / "zip", std::ios::binary) << zip;
    try {
      run_on(loop_, unpack(directory_ / "zip", out_));
    } catch (const PackageError& error) {
      return error.what();
    }
    return "";
  }

  base::Activity activity_;
  net::Loop loop_{activity_};
  TestDirectory directory_;
  const fs::path out_ = directory_ / "out";
};

TEST_F(PackageTest, FilesKeepTheirTextAndTheirPermissions) {
  ASSERT_EQ(unpack_all(zip_of({{"app.py", "print()"},
                               {"lib/deep/er.txt", std::string(3 << 20, 'x')},
                               {"bootstrap", "#!/bin/sh\n", S_IFREG | 0755},
                               {"empty", ""},
                               {"folder/", "", S_IFDIR | 0755}})),
            "");
  EXPECT_EQ(read_file(out_ / "app.py"), "print()");
  EXPECT_EQ(read_file(out_ / "lib/deep/er.txt").size(), 3U << 20);
  EXPECT_EQ(fs::status(out_ / "bootstrap").permissions(), fs::perms(0755));
  EXPECT_EQ(fs::status(out_ / "app.py").permissions(), fs::perms(0644));
  EXPECT_EQ(fs::file_size(out_ / "empty"), 0U);
  EXPECT_TRUE(fs::is_directory(out_ / "folder"));
}

TEST_F(PackageTest, WhatIsNoZipIsRefused) {
  EXPECT_EQ(unpack_all("that is no zip"), kUnreadable);
  EXPECT_EQ(unpack_all(""), kUnreadable);
  std::string zip = zip_of({{"a", "text that is long enough to be damaged"}});
  EXPECT_EQ(unpack_all(zip.substr(0, zip.size() / 2)), kUnreadable);
  const size_t inside = zip.find("PK\x01\x02") - 40;  // in the first entry's data
  zip[inside] = static_cast<char>(zip[inside] ^ 0x55);
  EXPECT_EQ(unpack_all(zip), kUnreadable);
}

TEST_F(PackageTest, AZipWithoutEntriesIsRefused) {
  EXPECT_EQ(unpack_all(std::string("PK\x05\x06", 4) + std::string(18, '\0')), "Uploaded file must be a non-empty zip");
}

TEST_F(PackageTest, NamesThatLeaveTheDirectoryAreRefused) {
  for (const char* name : {"../out-of-here", "a/../../out-of-here", "/tmp/out-of-here", "..", "a\\..\\b"}) {
    EXPECT_EQ(unpack_all(zip_of({{name, "x"}})), kUnreadable) << name;
  }
  EXPECT_FALSE(fs::exists(directory_ / "out-of-here"));
  EXPECT_EQ(unpack_all(zip_of({{"a/../b", "inside"}})), "");
}

TEST_F(PackageTest, LinksInsideAreMadeAndOthersRefused) {
  ASSERT_EQ(unpack_all(zip_of({{"bin/tool", "../lib/tool.js", S_IFLNK | 0777}, {"lib/tool.js", "tool"}})), "");
  EXPECT_EQ(read_file(out_ / "bin/tool"), "tool");
  EXPECT_EQ(unpack_all(zip_of({{"bin/tool", "../../etc/passwd", S_IFLNK | 0777}})), kUnreadable);
  EXPECT_EQ(unpack_all(zip_of({{"tool", "/etc/passwd", S_IFLNK | 0777}})), kUnreadable);
  // Nothing is written through a link, and none takes the place of a folder.
  EXPECT_EQ(unpack_all(zip_of({{"a", "b", S_IFLNK | 0777}, {"a/file", "x"}})), kUnreadable);
}

TEST_F(PackageTest, LinksAreFollowedToWhereTheyReallyLead) {
  const mode_t link = S_IFLNK | 0777;
  // By its text "way" stays inside: up from deep below. But "deep/er/up" is the package itself.
  EXPECT_EQ(unpack_all(zip_of({{"deep/er/up", "../..", link}, {"way", "deep/er/up/../passwd", link}})), kUnreadable);
  EXPECT_EQ(unpack_all(zip_of({{"way", "deep/er/up/../passwd", link}, {"deep/er/up", "../..", link}})), kUnreadable);
  EXPECT_EQ(unpack_all(zip_of({{"a", "b", link}, {"b", "a", link}})), kUnreadable);
  EXPECT_EQ(unpack_all(zip_of({{"dangling", "not/there", link}})), "");
  // And this one, which by its text leads out, stays.
  ASSERT_EQ(unpack_all(zip_of({{"a/b/file", "x"}, {"c", "a/b", link}, {"way", "c/../b/file", link}})), "");
  EXPECT_EQ(read_file(out_ / "way"), "x");
}

TEST_F(PackageTest, AFileInPlaceOfAFolderIsRefused) {
  EXPECT_EQ(unpack_all(zip_of({{"a", "x"}, {"a/b", "x"}})), kUnreadable);
  EXPECT_EQ(unpack_all(zip_of({{"a/b", "x"}, {"a", "x"}})), kUnreadable);
}

TEST_F(PackageTest, APackageThatUnpacksToMoreThanTheLimitIsRefused) {
  std::vector<ZipEntry> entries;
  const std::string block(60 << 20, '\0');
  for (int i = 0; i < 5; ++i) entries.push_back({base::cat("block-", i), block});
  EXPECT_EQ(unpack_all(zip_of(entries)), "Unzipped size must be smaller than 262144000 bytes");
}

PackageStore::Candidates released_long_ago(PackageStore& store) {
  store.release_all();
  return store.released();
}

TEST_F(PackageTest, EqualPackagesAreKeptOnceAndPinnedOnesStay) {
  PackageStore store(directory_ / "functions");
  const std::string zip = zip_of({{"a", "1"}});
  auto first = run_on(loop_, store.add(zip));
  const auto second = run_on(loop_, store.add(zip));
  EXPECT_EQ(first->digest(), second->digest());
  EXPECT_EQ(digests_in(store.directory()), std::set<std::string>{first->digest()});
  EXPECT_EQ(run_on(loop_, store.read_zip(first->digest())), zip);
  EXPECT_EQ(read_file(store.directory() / first->digest() / "a"), "1");
  first.reset();
  store.remove(released_long_ago(store));
  EXPECT_EQ(digests_in(store.directory()).size(), 1U);
}

TEST_F(PackageTest, APackageThatAFunctionTakesUpMeanwhileStays) {
  PackageStore store(directory_ / "functions");
  const std::string zip = zip_of({{"a", "1"}});
  run_on(loop_, store.add(zip));
  const PackageStore::Candidates candidates = released_long_ago(store);
  run_on(loop_, store.add(zip));
  store.remove(candidates);
  EXPECT_EQ(digests_in(store.directory()).size(), 1U);
}

TEST_F(PackageTest, APackageIsACandidateForRemovalSomeTimeAfterItsLastUse) {
  PackageStore store(directory_ / "functions");
  run_on(loop_, store.add(zip_of({{"a", "1"}})));
  EXPECT_TRUE(store.released().empty());
}

TEST_F(PackageTest, APackageIsUnpackedAgainWhenItsCacheIsGone) {
  PackageStore store(directory_ / "functions");
  const std::string digest = run_on(loop_, store.add(zip_of({{"a", "1"}})))->digest();
  fs::remove_all(store.directory() / digest);
  PackageStore reopened(directory_ / "functions");
  run_on(loop_, reopened.ensure_unpacked(digest));
  EXPECT_EQ(read_file(store.directory() / digest / "a"), "1");
  reopened.remove(released_long_ago(reopened));
  EXPECT_TRUE(digests_in(reopened.directory()).empty());
}

TEST_F(PackageTest, WhatWasLeftHalfWrittenIsRemovedAtStart) {
  fs::create_directories(directory_ / "functions" / "fresh-1");
  std::ofstream(directory_ / "functions" / "fresh-2") << "x";
  const PackageStore store(directory_ / "functions");
  EXPECT_TRUE(digests_in(store.directory()).empty());
  EXPECT_FALSE(fs::exists(store.directory() / "fresh-1"));
  EXPECT_FALSE(fs::exists(store.directory() / "fresh-2"));
}

}  // namespace
}  // namespace tidemill::lambda
