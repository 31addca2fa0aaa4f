#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "parser.h"
#include "signals.h"
#include "strata/core/errors.h"
#include "strata/core/printable.h"
#include "strata/parallel/communicator.h"
#ifdef STRATA_MPI
#include "strata/parallel/mpi.h"
#endif
#include "terminal.h"

namespace app {

namespace {

// A mistake that every process finds is told by the first alone: it ends the others before their pause is over.
int complain(std::string_view sentence, int code, const strata::Communicator& processes) {
  if (processes.rank() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::cerr << paint(Paint::error, "strata:") << ' ' << sentence << '\n';
  return code;
}

constexpr std::string_view no_memory =
    "there is not enough memory; use fewer rows, a smaller network or a smaller batch";

int out_of_memory(const strata::Communicator& processes) { return complain(no_memory, failed, processes); }

bool memory_ended() {
  if (!std::current_exception()) return false;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// The JSON library takes memory to free memory, where no exception may pass.
[[noreturn]] void terminate() {
  if (!memory_ended()) std::abort();
  remove_unfinished_file();
  for (const std::string_view part : {std::string_view("strata: "), no_memory, std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  ::_exit(failed);
}

int say(const std::string& message) {
  Output out;
  out.stream() << message;
  out.commit();
  return done;
}

int run(const Request& request, strata::Communicator& processes) {
  if (request.command == nullptr) return processes.rank() == 0 ? say(request.message) : done;
  if (request.command->run_together != nullptr)
    return request.command->run_together(request.settings, processes);
  if (processes.alone()) return request.command->run(request.settings);
  throw strata::InvalidOption(request.command->name, std::to_string(processes.size()) + " processes",
                              "only train runs on several; start this one without a launcher");
}

struct Outcome {
  int code = done;
  bool complete = true;  // the command came to its end; otherwise something was thrown
};

// Bad input is known before anything runs (an option, a table, a model); what fails while running is another code.
Outcome run(int argc, const char* const* argv, strata::Communicator& processes) {
  const auto wrong = [&](const strata::Error& error) {
    return Outcome{complain(error.what(), wrong_input, processes), false};
  };
  Request request;
  try {
    request = parse(argc, argv);
  } catch (const strata::Error& error) {
    return wrong(error);
  }
  try {
    return {run(request, processes), true};
  } catch (const strata::InvalidOption& error) {
    return wrong(error);
  } catch (const strata::DataError& error) {
    return wrong(error);
  }
}

Outcome run_and_explain(int argc, const char* const* argv, strata::Communicator& processes) {
  const auto ended = [](int code) { return Outcome{code, false}; };
  try {
    return run(argc, argv, processes);
  } catch (const BrokenPipe&) {
    return ended(broken_pipe);
  } catch (const std::bad_alloc&) {
    return ended(out_of_memory(processes));
  } catch (const std::length_error&) {  // a size that no memory could have
    return ended(out_of_memory(processes));
  } catch (const std::filesystem::filesystem_error& error) {  // of a name that no file can have
    return ended(complain(fmt::format("{}: {}; choose another name or place",
                                      strata::printable(error.path1().string()), error.code().message()),
                          wrong_input, processes));
  } catch (const std::exception& error) {
    return ended(complain(strata::printable(error.what()), failed, processes));
  }
}

#ifdef STRATA_MPI
// What one process cannot do ends all of them: others may wait for its messages for ever.
int run_with_others(int argc, char** argv) {
  strata::MpiSession mpi(argc, argv);
  const Outcome outcome = run_and_explain(argc, argv, mpi.processes());
  if (!outcome.complete) strata::MpiSession::abort(outcome.code);
  return outcome.code;
}
#endif

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      train_command(),     predict_command(),  evaluate_command(), inspect_command(),    importance_command(),
      export_command(),    generate_command(), data_command(),     pack_command(),       methods_command(),
      reproduce_command(), tables_command(),   report_command(),   completion_command(), man_command()};
  return all;
}

}  // namespace app

int main(int argc, char** argv) {
  std::set_terminate(app::terminate);
  app::reserve_standard_streams();
  app::ignore_writing_signals();
#ifdef STRATA_MPI
  if (strata::MpiSession::was_launched()) return app::run_with_others(argc, argv);
#endif
  return app::run_and_explain(argc, argv, strata::single_process()).code;
}
