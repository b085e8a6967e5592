#ifndef HEAPGLOT_TESTS_SQLITE_ASK_H_
#define HEAPGLOT_TESTS_SQLITE_ASK_H_

#include <gtest/gtest.h>

#include <string>

#include "core/sqlite/database.h"

namespace heapglot {

// The first column of the first row, whatever it is; "" for NULL.
inline std::string AskFirst(sqlite::Database& database,
                            const std::string& sql) {
  Result<sqlite::Statement> statement = database.Prepare(sql);
  EXPECT_TRUE(statement.ok()) << statement.status().ToString();
  if (!statement.ok()) return {};
  Status status;
  if (!statement->Next(&status)) {
    EXPECT_TRUE(status.ok()) << status.ToString();
    return {};
  }
  return std::string(statement->Bytes(0));
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_SQLITE_ASK_H_
