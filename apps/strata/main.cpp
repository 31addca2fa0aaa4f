#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "parser.h"
#include "signals.h"
#include "strata/core/errors.h"
#include "terminal.h"

namespace app {

namespace {

int complain(std::string_view sentence, int code) {
  std::cerr << paint(Paint::error, "strata:") << ' ' << sentence << '\n';
  return code;
}

int out_of_memory() {
  return complain("there is not enough memory; use fewer rows, a smaller network or a smaller batch", failed);
}

int say(const std::string& message) {
  Output out;
  out.stream() << message;
  out.commit();
  return done;
}

// Bad input is known before anything runs (an option, a table, a model); what fails while running is another code.
int run(int argc, const char* const* argv) {
  Request request;
  try {
    request = parse(argc, argv);
  } catch (const strata::Error& error) {
    return complain(error.what(), wrong_input);
  }
  if (request.command == nullptr) return say(request.message);
  try {
    return request.command->run(request.settings);
  } catch (const strata::InvalidOption& error) {
    return complain(error.what(), wrong_input);
  } catch (const strata::DataError& error) {
    return complain(error.what(), wrong_input);
  }
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{train_command(),   predict_command(),    evaluate_command(),
                                        inspect_command(), generate_command(),   data_command(),
                                        methods_command(), reproduce_command(),  tables_command(),
                                        report_command(),  completion_command(), man_command()};
  return all;
}

}  // namespace app

int main(int argc, char** argv) {
  app::ignore_broken_pipes();
  try {
    return app::run(argc, argv);
  } catch (const app::BrokenPipe&) {
    return app::broken_pipe;
  } catch (const std::bad_alloc&) {
    return app::out_of_memory();
  } catch (const std::length_error&) {  // a size that no memory could have
    return app::out_of_memory();
  } catch (const std::exception& error) {
    return app::complain(error.what(), app::failed);
  }
}
