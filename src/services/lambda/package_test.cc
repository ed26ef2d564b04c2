#include "services/lambda/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/no_more_files.h"
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

TEST_F(PackageTest, AZipThatCannotBeOpenedForWantOfDescriptorsIsNotToBlame) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  std::ofstream(directory_ / "zip", std::ios::binary) << zip_of({{"a", "1"}});
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_THROW(run_on(loop_, unpack(directory_ / "zip", out_)), fs::filesystem_error);
  }
  EXPECT_NO_THROW(run_on(loop_, unpack(directory_ / "zip", out_)));
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

}  // namespace
}  // namespace tidemill::lambda
