#pragma once

#include <string>
#include <vector>

#include "settings.h"
#include "strata/parallel/communicator.h"

namespace app {

struct Argument {
  std::string name;  // "DATA"
  std::string help;
  bool required = true;
};

struct OptionSpec {
  std::string name;   // without the dashes
  std::string value;  // what stands for it in the help: "NAME"; empty: a switch
  std::string help;
  std::string group = "Options";
  bool adds = false;  // given again it adds to the list; otherwise the last one counts
  char letter = 0;    // 'o': -o is short for it; 0: there is none
};

// One subcommand: what it is called, what it is told, and the function that does it. Parser, help, completion and man
// page are all made from this.
struct Command {
  std::string name;
  std::string summary;   // one line
  std::string examples;  // shown before anything else
  std::vector<Argument> arguments;
  std::vector<OptionSpec> options;
  int (*run)(const Settings&);  // the exit code
  std::string notes = {};       // shown last
  // As one of several processes that a launcher has started; a command without it runs alone.
  int (*run_together)(const Settings&, strata::Communicator&) = nullptr;

  [[nodiscard]] const OptionSpec* find(std::string_view option) const;
  [[nodiscard]] std::vector<std::string> option_names() const;
};

const std::vector<Command>& commands();

// One per file.
Command train_command();
Command predict_command();
Command evaluate_command();
Command inspect_command();
Command importance_command();
Command export_command();
Command generate_command();
Command data_command();
Command pack_command();
Command methods_command();
Command reproduce_command();
Command tables_command();
Command report_command();
Command completion_command();
Command man_command();

}  // namespace app
