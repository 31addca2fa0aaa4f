#pragma once

#include <memory>

#include "data/source.h"
#include "data/text_head.h"
#include "strata/data/read.h"

namespace strata {

using HeadReader = TextHead (*)(RecordPieces&, const std::string& file, const ReadOptions&);

// Rows of text, whatever stands before them. Without a reader of the head the text itself tells which it needs.
std::unique_ptr<TableReader> read_text_table(ByteSource source, HeadReader read_head,
                                             const ReadOptions& options);

}  // namespace strata
