// The one file that knows CLI11: from the table of commands to a parser, and from its results to settings.
#include "parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "help.h"
#include "strata/core/errors.h"
#include "strata/core/suggestion.h"

namespace app {

namespace {

struct Subcommand {
  CLI::App* parser = nullptr;
  std::map<std::string, CLI::Option*> values = {};  // by the name of the argument or option
};

Subcommand add(CLI::App& app, const Command& command) {
  Subcommand made{.parser = app.add_subcommand(command.name, command.summary)};
  made.parser->set_help_flag();  // ours is made from the table of commands
  for (const Argument& argument : command.arguments)
    made.values[argument.name] = made.parser->add_option(argument.name);
  for (const OptionSpec& option : command.options) {
    const std::string name =
        (option.letter != 0 ? fmt::format("-{},", option.letter) : "") + "--" + option.name;
    made.values[option.name] =
        option.value.empty() ? made.parser->add_flag(name) : made.parser->add_option(name)->take_all();
  }
  made.values["help"] = made.parser->add_flag("-h,--help");
  return made;
}

// The words after the program's name, last first. A switch has no value beside it, but for "on" and "off".
std::vector<std::string> reversed_words(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto command = std::ranges::find(commands(), words.empty() ? "" : words.front(), &Command::name);
  for (std::size_t i = 1; command != commands().end() && i + 1 < words.size(); ++i) {
    const OptionSpec* const option = words[i].starts_with("--") ? command->find(words[i].substr(2)) : nullptr;
    if (option == nullptr || !option->value.empty() || (words[i + 1] != "on" && words[i + 1] != "off"))
      continue;
    words[i] += "=" + words[i + 1];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  std::ranges::reverse(words);
  return words;
}

[[noreturn]] void refuse_extra(const std::string& argument, const Command* command) {
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& known : commands()) names.push_back(known.name);
    throw strata::Error(
        fmt::format("there is no command '{}'{}", argument, strata::suggestion(argument, names)));
  }
  if (argument.starts_with("-")) {
    const std::string name = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
    std::vector<std::string> known = command->option_names();
    for (std::string& option : known) option.insert(0, "--");
    throw strata::Error(fmt::format("strata {} has no option '{}'{}", command->name, argument,
                                    strata::suggestion("--" + name.substr(0, name.find('=')), known)));
  }
  throw strata::Error(fmt::format("'{}' is one argument too many; `strata {} --help` shows the usage",
                                  argument, command->name));
}

Settings settings_of(const Command& command, const Subcommand& subcommand) {
  Settings settings;
  for (const auto& [name, option] : subcommand.values) {
    if (option->count() == 0) continue;
    const OptionSpec* const spec = command.find(name);
    const auto& values = option->results();
    settings.set(name, spec != nullptr && spec->adds ? values : std::vector{values.back()});
  }
  return settings;
}

void require_arguments(const Command& command, const Settings& settings) {
  for (const Argument& argument : command.arguments)
    if (argument.required && !settings.has(argument.name))
      throw strata::Error(fmt::format("{} is missing; {}", argument.name, usage(command)));
}

}  // namespace

Request parse(int argc, const char* const* argv) {
  CLI::App app;
  app.set_help_flag();
  const CLI::Option* help = app.add_flag("-h,--help");
  const CLI::Option* version = app.add_flag("--version");
  app.require_subcommand(0, 1);
  std::map<std::string, Subcommand> subcommands;
  for (const Command& command : commands()) subcommands[command.name] = add(app, command);

  const Command* chosen = nullptr;
  const auto note_chosen = [&] {
    for (const Command& command : commands())
      if (subcommands[command.name].parser->parsed()) chosen = &command;
  };
  try {
    app.parse(reversed_words(argc, argv));
    note_chosen();
  } catch (const CLI::ExtrasError&) {
    note_chosen();
    const CLI::App* parser = chosen != nullptr ? subcommands[chosen->name].parser : &app;
    const auto extra = parser->remaining().empty() ? app.remaining() : parser->remaining();
    refuse_extra(extra.empty() ? "" : extra.front(), chosen);
  } catch (const CLI::ParseError& error) {
    throw strata::Error(error.what());
  }
  if (version->count() > 0) return {.message = "strata " STRATA_VERSION "\n"};
  if (help->count() > 0 || chosen == nullptr) return {.message = overview()};
  Request request{.command = chosen, .settings = settings_of(*chosen, subcommands[chosen->name])};
  if (request.settings.has("help")) return {.message = help_text(*chosen)};
  require_arguments(*chosen, request.settings);
  return request;
}

}  // namespace app
