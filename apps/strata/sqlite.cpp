#include "sqlite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/errors.h"

namespace app {

namespace {

using strata::DataError;
using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

void refuse_if_no_file(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none))
    throw DataError({file}, "there is no such file; name an SQLite database");
}

std::vector<std::string> tables_in(sqlite3* database) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(database, "select name from sqlite_master where type in ('table', 'view') order by name",
                     -1, &made, nullptr);
  const Statement names(made, &sqlite3_finalize);
  std::vector<std::string> tables;
  while (made != nullptr && sqlite3_step(made) == SQLITE_ROW)
    tables.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(made, 0)));
  return tables;
}

[[noreturn]] void refuse(const std::string& file, sqlite3* database) {
  if (sqlite3_errcode(database) == SQLITE_NOTADB)
    throw DataError({file}, "is no SQLite database; leave --sql out to read it as a text");
  const std::string problem = sqlite3_errmsg(database);
  const std::vector<std::string> tables = tables_in(database);
  throw DataError({file},
                  fmt::format("the query of --sql fails: {}; {}", problem,
                              tables.empty() ? "the database has no table"
                                             : fmt::format("its tables: {}", fmt::join(tables, ", "))));
}

Database open_database(const std::string& file) {
  refuse_if_no_file(file);
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &made, SQLITE_OPEN_READONLY, nullptr);
  Database database(made, &sqlite3_close);
  if (code != SQLITE_OK)
    throw DataError({file}, fmt::format("cannot be opened: {}",
                                        made != nullptr ? sqlite3_errmsg(made) : sqlite3_errstr(code)));
  constexpr int wait = 10000;  // milliseconds, for one who is writing
  sqlite3_busy_timeout(made, wait);
  return database;
}

Statement prepare(const std::string& file, const std::string& query, sqlite3* database) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(database, query.c_str(), -1, &made, &rest) != SQLITE_OK) refuse(file, database);
  Statement statement(made, &sqlite3_finalize);
  if (made == nullptr || sqlite3_column_count(made) == 0 || sqlite3_stmt_readonly(made) == 0)
    throw strata::InvalidOption("sql", query, "it gives no rows; use a query such as select * from houses");
  if (std::string_view(rest).find_first_not_of("; \t\r\n") != std::string_view::npos)
    throw strata::InvalidOption("sql", query, "there are several statements; use one query");
  return statement;
}

// What a query gave when it was run first; a second run must give the same.
using Fingerprint = std::optional<std::size_t>;

class QueryBuffer final : public std::streambuf {
 public:
  QueryBuffer(std::string file, const std::string& query, std::shared_ptr<Fingerprint> first)
      : file_(std::move(file)),
        database_(open_database(file_)),
        statement_(prepare(file_, query, database_.get())),
        first_(std::move(first)) {
    for (int c = 0; c < columns(); ++c) add_text(c, sqlite3_column_name(statement_.get(), c));
    text_ += '\n';
  }

 private:
  [[nodiscard]] int columns() const { return sqlite3_column_count(statement_.get()); }

  int_type underflow() override {
    constexpr std::size_t enough = std::size_t{1} << 16U;
    if (gptr() != nullptr) text_.clear();  // all of it has been read
    while (!ended_ && text_.size() < enough) take_row();
    if (text_.empty()) return traits_type::eof();
    seen_ = 31 * seen_ + std::hash<std::string_view>{}(text_);
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_.front());
  }

  void take_row() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_DONE) return end();
    if (code != SQLITE_ROW) refuse(file_, database_.get());
    for (int c = 0; c < columns(); ++c) add_cell(c);
    text_ += '\n';
    ++rows_;
  }

  void end() {
    ended_ = true;
    if (rows_ == 0) throw DataError({file_}, "the query of --sql gives no row; a table needs rows");
    const std::size_t all = 31 * seen_ + std::hash<std::string_view>{}(text_);
    if (*first_ && **first_ != all)
      throw DataError({file_},
                      "the query of --sql gives other rows when it is run again; order them by a column, or "
                      "store them in a table");
    *first_ = all;
  }

  void add_cell(int c) {
    sqlite3_stmt* const row = statement_.get();
    switch (sqlite3_column_type(row, c)) {
      case SQLITE_NULL: return separate(c);
      case SQLITE_INTEGER:
        separate(c);
        text_ += fmt::format("{}", sqlite3_column_int64(row, c));
        return;
      case SQLITE_FLOAT:
        separate(c);
        text_ += fmt::format("{}", sqlite3_column_double(row, c));
        return;
      case SQLITE_BLOB:
        throw DataError({file_},
                        fmt::format("column '{}' of --sql holds binary values; leave it out of the query",
                                    sqlite3_column_name(row, c)));
      default:
        add_text(c, {reinterpret_cast<const char*>(sqlite3_column_text(row, c)),
                     static_cast<std::size_t>(sqlite3_column_bytes(row, c))});
    }
  }
  void separate(int c) {
    if (c > 0) text_ += ',';
  }
  void add_text(int c, std::string_view cell) {
    separate(c);
    text_ += '"';
    for (const char sign : cell) {
      if (sign == '"') text_ += '"';
      text_ += sign;
    }
    text_ += '"';
  }

  std::string file_;
  Database database_;
  Statement statement_;
  std::string text_;  // of some rows
  std::size_t rows_ = 0;
  bool ended_ = false;
  std::size_t seen_ = 0;
  std::shared_ptr<Fingerprint> first_;
};

}  // namespace

strata::ByteSource query_source(const std::string& file, const std::string& query) {
  return {file, [file, query, first = std::make_shared<Fingerprint>()] {
            return std::make_unique<QueryBuffer>(file, query, first);
          }};
}

}  // namespace app
