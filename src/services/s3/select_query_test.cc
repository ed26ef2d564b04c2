// Queries in turns.
#include "services/s3/select_query.h"

#include <gtest/gtest.h>

namespace tidemill::s3 {
namespace {

namespace select = lang::select;

// Far more of them than a turn has time for.
constexpr size_t kManyRows = 2'000'000;

std::string many_rows() {
  std::string text;
  for (size_t i = 0; i < kManyRows; ++i) text += "1\n";
  return text;
}

std::shared_ptr<SelectQuery> asked(std::string_view statement) {
  return std::make_shared<SelectQuery>(select::Statement::parse(statement), select::CsvInput{}, select::CsvOutput{},
                                       base::Time(), Packing::none);
}

TEST(SelectQuery, ATurnEndsBeforeAllIsDone) {
  const auto query = asked("SELECT COUNT(*) FROM S3Object");
  query->add(many_rows());
  EXPECT_TRUE(query->take_turn());
  EXPECT_EQ(query->rows(), "");
  while (query->take_turn()) {
  }
  query->end();
  while (query->take_turn()) {
  }
  EXPECT_TRUE(query->is_done());
  EXPECT_EQ(query->rows(), "2000000\n");
  EXPECT_EQ(query->processed(), 2 * kManyRows);
}

TEST(SelectQuery, ATurnEndsWithRowsEnough) {
  const auto query = asked("SELECT * FROM S3Object");
  query->add(many_rows());
  size_t size = 0;
  for (bool is_more = true; is_more;) {
    is_more = query->take_turn();
    EXPECT_LE(query->rows().size(), kSelectRowsBytes + select::kOutputBytes);
    if (query->rows().size() >= kSelectRowsBytes || !is_more) size += std::exchange(query->rows(), {}).size();
  }
  EXPECT_EQ(size, 2 * kManyRows);
}

TEST(SelectQuery, AnAbandonedOneTakesNoMoreTurns) {
  const auto query = asked("SELECT COUNT(*) FROM S3Object");
  query->add(many_rows());
  EXPECT_TRUE(query->take_turn());
  query->abandon();
  query->end();
  EXPECT_FALSE(query->take_turn());
  EXPECT_FALSE(query->is_done());
  EXPECT_EQ(query->rows(), "");
}

}  // namespace
}  // namespace tidemill::s3
