#pragma once

namespace app {

inline constexpr int done = 0;
inline constexpr int failed = 1;         // while running: a file that cannot be written, memory, training
inline constexpr int wrong_input = 2;    // options, files and tables that cannot be used
inline constexpr int broken_pipe = 141;  // whoever read our output has gone; 128 + SIGPIPE

}  // namespace app
