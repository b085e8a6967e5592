// Rows that are inserted into a table in batches.
#include "writers/sqlite/sqlite_batch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/sqlite/database.h"
#include "tests/sqlite/ask.h"

namespace heapglot {
namespace {

class RowBatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto database = sqlite::Database::Create("test", 1024);
    ASSERT_TRUE(database.ok());
    database_ = std::move(*database);
    ASSERT_TRUE(
        database_->Run("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)").ok());
    ASSERT_TRUE(rows_.Open(*database_, "t", 3).ok());
  }
  void Add(std::int64_t key) {
    rows_.SetInteger(1, key);
    ASSERT_TRUE(rows_.EndRow().ok());
  }
  std::string Ask(const std::string& sql) { return AskFirst(*database_, sql); }

  std::unique_ptr<sqlite::Database> database_;
  sqlite::RowBatch rows_;
};

TEST_F(RowBatchTest, KeepsAllRowsInOrder) {
  const int count = 3 * static_cast<int>(sqlite::RowBatch::kRows) + 5;
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) rows_.SetText(2, "text " + std::to_string(i));
    if (i % 3 == 0) rows_.SetDouble(3, i / 2.0);
    if (i % 3 == 1) rows_.SetBlob(3, "");
    Add(i);
  }
  ASSERT_TRUE(rows_.Flush().ok());
  ASSERT_TRUE(rows_.Flush().ok());  // nothing is left
  EXPECT_EQ(Ask("SELECT count(*) FROM t"), std::to_string(count));
  EXPECT_EQ(Ask("SELECT count(*) FROM t WHERE b IS NOT CASE WHEN a % 2 = 0 "
                "THEN 'text ' || a END"),
            "0");
  EXPECT_EQ(
      Ask("SELECT count(*) FROM t WHERE c IS NOT CASE a % 3 WHEN 0 THEN a "
          "/ 2.0 WHEN 1 THEN x'' END"),
      "0");
}

TEST_F(RowBatchTest, DoesNotKeepLargeTexts) {
  const std::string large(sqlite::RowBatch::kMaxText, 'x');
  for (int i = 0; i < 3; ++i) {
    rows_.SetText(2, large);
    Add(i);
    EXPECT_EQ(Ask("SELECT sum(length(b)) FROM t"),
              std::to_string((i + 1) * large.size()));
  }
}

TEST_F(RowBatchTest, ForgetsARowThatIsDropped) {
  rows_.SetText(2, "first");
  Add(1);
  rows_.SetInteger(1, 2);
  rows_.SetText(2, "dropped");
  EXPECT_EQ(rows_.TextOf(2), "dropped");
  rows_.DropRow();
  Add(3);
  ASSERT_TRUE(rows_.Flush().ok());
  EXPECT_EQ(Ask("SELECT group_concat(a || ifnull(b, '-')) FROM t"),
            "1first,3-");
}

TEST_F(RowBatchTest, LetsGoOfATableThatIsClosed) {
  Add(1);
  ASSERT_TRUE(rows_.Close().ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM t"), "1");
  EXPECT_TRUE(database_->Run("DROP TABLE t").ok());
}

TEST_F(RowBatchTest, AddsColumnsWhenARowNeedsThem) {
  sqlite::RowBatch rows;
  ASSERT_TRUE(database_->Run("CREATE TABLE u (a INTEGER PRIMARY KEY)").ok());
  ASSERT_TRUE(rows.Open(*database_, "u", 4, {"b TEXT", "c", "d"}).ok());
  const auto columns = [&] {
    return Ask("SELECT group_concat(name) FROM pragma_table_info('u')");
  };
  rows.SetInteger(1, 1);
  ASSERT_TRUE(rows.EndRow().ok());
  ASSERT_TRUE(rows.Flush().ok());
  EXPECT_EQ(columns(), "a");
  rows.SetInteger(1, 2);
  rows.SetInteger(3, 5);
  ASSERT_TRUE(rows.EndRow().ok());
  ASSERT_TRUE(rows.Flush().ok());
  EXPECT_EQ(columns(), "a,b,c");
  ASSERT_TRUE(rows.Close().ok());
  EXPECT_EQ(columns(), "a,b,c,d");
  EXPECT_EQ(Ask("SELECT group_concat(a || ifnull(c, '-')) FROM u"), "1-,25");
}

TEST_F(RowBatchTest, TellsWhatSqliteRefuses) {
  Add(1);
  Add(1);
  EXPECT_EQ(rows_.Flush().code(), Code::kInternal);
}

}  // namespace
}  // namespace heapglot
