#pragma once

namespace app {

// Closed pipes and files that grow beyond a limit are errors of the writing call from now on, not the end of the program.
void ignore_writing_signals();

// While one of these lives, Ctrl-C and SIGTERM only set a flag; a second Ctrl-C ends the program at once.
class PoliteInterrupts {
 public:
  PoliteInterrupts();
  ~PoliteInterrupts();
  PoliteInterrupts(const PoliteInterrupts&) = delete;
  PoliteInterrupts& operator=(const PoliteInterrupts&) = delete;

  static bool requested() { return exit_code() != 0; }
  static int exit_code();  // 130 or 143; 0 when nothing was requested
};

// The file is removed if a signal ends the program. One at a time; nullptr: none. The text must live on.
void remove_when_killed(const char* path);
void remove_unfinished_file();  // that file, by whatever else ends the program at once

}  // namespace app
