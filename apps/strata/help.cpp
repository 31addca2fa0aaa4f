#include "help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace app {

namespace {

constexpr std::size_t indent = 28;  // where the help of an option starts
constexpr std::size_t width = 100;

// The text in lines that end before `width`, the first of them continuing at `indent`.
std::string wrapped(std::string_view text) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (column > indent && column + word.size() + 1 > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ';
    out += word;
    column += word.size() + 1;
    start = end + 1;
  }
  return out;
}

std::string entry(const std::string& name, const std::string& help) {
  const std::string left = "  " + name;
  const std::string gap =
      left.size() + 2 > indent ? "\n" + std::string(indent, ' ') : std::string(indent - left.size(), ' ');
  return left + gap + wrapped(help) + "\n";
}

std::string shown(const OptionSpec& option) {
  return (option.letter != 0 ? fmt::format("-{}, ", option.letter) : "") + "--" + option.name +
         (option.value.empty() ? "" : " " + option.value);
}

std::vector<std::string> groups(const Command& command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : command.options)
    if (std::find(names.begin(), names.end(), option.group) == names.end()) names.push_back(option.group);
  return names;
}

std::string indented(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + "\n";
}

// troff: a dot or quote that starts a line is a request, a backslash and a hyphen have meanings.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string manual_of(const Command& command) {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n.nf\n{}\n.fi\n", escaped(usage(command).substr(7)),
                                escaped(command.summary), escaped(command.examples));
  for (const Argument& argument : command.arguments)
    out += fmt::format(".TP\n.I {}\n{}\n", escaped(argument.name), escaped(argument.help));
  for (const OptionSpec& option : command.options)
    out += fmt::format(".TP\n.B {}\n{}\n", escaped(shown(option)), escaped(option.help));
  if (!command.notes.empty()) out += fmt::format(".PP\n{}\n", escaped(command.notes));
  return out;
}

constexpr std::string_view exit_codes =
    "0 done; 1 failure while running; 2 wrong usage or input; 130 and 143 ended by Ctrl-C or SIGTERM, "
    "results saved; "
    "141 the reader of the output has gone.";

}  // namespace

const OptionSpec* Command::find(std::string_view option) const {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionSpec& known) { return known.name == option; });
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const OptionSpec& option : options) names.push_back(option.name);
  return names;
}

std::string usage(const Command& command) {
  std::string out = "usage: strata " + command.name;
  for (const Argument& argument : command.arguments)
    out += argument.required ? " " + argument.name : " [" + argument.name + "]";
  return out + (command.options.empty() ? "" : " [OPTIONS]");
}

std::string help_text(const Command& command) {
  std::string out =
      command.summary + ".\n\nExamples:\n" + indented(command.examples) + "\n" + usage(command) + "\n";
  if (!command.arguments.empty()) out += "\nArguments:\n";
  for (const Argument& argument : command.arguments) out += entry(argument.name, argument.help);
  for (const std::string& group : groups(command)) {
    out += "\n" + group + ":\n";
    for (const OptionSpec& option : command.options)
      if (option.group == group) out += entry(shown(option), option.help);
  }
  if (!command.notes.empty()) out += "\n" + command.notes + "\n";
  return out;
}

std::string overview() {
  std::string out =
      "strata trains deep feed-forward networks on tables, layer by layer.\n\nExamples:\n"
      "  strata train housing.csv --target price\n"
      "  strata predict housing.strata.safetensors new.csv --out prices.csv\n\nCommands:\n";
  for (const Command& command : commands()) out += entry(command.name, command.summary);
  return out + "\n`strata COMMAND --help` shows examples and options, `strata --version` the version.\n";
}

std::string man_page() {
  std::string out =
      ".TH STRATA 1 \"\" \"strata " STRATA_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nstrata \\- train deep feed\\-forward networks on tables, layer by layer\n"
      ".SH SYNOPSIS\n.B strata\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const Command& command : commands()) out += manual_of(command);
  return out + ".SH EXIT STATUS\n" + escaped(exit_codes) + "\n";
}

}  // namespace app
