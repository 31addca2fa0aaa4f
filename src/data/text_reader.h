#pragma once

#include <memory>
#include <set>

#include "data/rows_file.h"
#include "data/source.h"
#include "data/text_head.h"
#include "strata/data/read.h"

namespace strata {

using HeadReader = TextHead (*)(RecordPieces&, const std::string& file, const ReadOptions&);

// Rows of text, whatever stands before them. Without a reader of the head the text itself tells which it needs.
std::unique_ptr<TableReader> read_text_table(ByteSource source, HeadReader read_head,
                                             const ReadOptions& options);

// Hands over the same rows group by group. False where columns without a type turned out to hold texts among what was taken for
// numbers: they are then added to `texts`, and what was handed over is of no use. Otherwise `notices` are those of the table.
bool write_text_groups(const ByteSource& source, HeadReader read_head, const ReadOptions& options,
                       std::set<std::size_t>& texts, RowsFileWriter& writer,
                       std::vector<std::string>& notices);

}  // namespace strata
