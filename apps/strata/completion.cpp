// strata completion, strata man: texts for shells and manuals, made from the table of commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "exit_codes.h"
#include "help.h"
#include "output.h"
#include "strata/core/errors.h"
#include "strata/trainers/presets.h"

namespace app {

namespace {

std::string dashed_options(const Command& command) {
  return fmt::format("--help {}{}", command.options.empty() ? "" : "--",
                     fmt::join(command.option_names(), " --"));
}

std::string method_names() {
  std::vector<std::string_view> names;
  for (const strata::MethodInfo& method : strata::methods()) names.push_back(method.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash() {
  std::string cases;
  for (const Command& command : commands())
    cases += fmt::format("    {}) options=\"{}\" ;;\n", command.name, dashed_options(command));
  return fmt::format(
      "# bash completion for strata; source it, or keep it where bash-completion looks\n"
      "_strata() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} options=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"${{COMP_WORDS[COMP_CWORD-1]}}\" = --method ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _strata strata\n",
      command_names(), method_names(), cases);
}

// zsh reads a quote inside '...' as '\'' and takes [ ] and : for itself.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out;
}

std::string zsh_arguments(const Command& command) {
  std::string out = "        '--help[show examples and options]'";
  for (const OptionSpec& option : command.options) {
    const std::string action = option.name == "method" ? fmt::format("({})", method_names()) : "_files";
    out += fmt::format(" \\\n        '--{}[{}]{}'", option.name, zsh_text(option.help),
                       option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), action));
  }
  return out + " \\\n        '*:file:_files'";
}

std::string zsh() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += fmt::format("    {})\n      _arguments \\\n{} ;;\n", command.name, zsh_arguments(command));
  }
  return fmt::format(
      "#compdef strata\n"
      "_strata() {{\n"
      "  local -a names\n"
      "  names=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' names\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "if [ \"$funcstack[1]\" = _strata ]; then _strata \"$@\"; else compdef _strata strata; fi\n",
      names, cases);
}

int print(const std::string& text) {
  Output out;
  out.stream() << text;
  out.commit();
  return done;
}

int complete(const Settings& settings) {
  const std::string shell = settings.text("SHELL");
  if (shell == "bash") return print(bash());
  if (shell == "zsh") return print(zsh());
  throw strata::InvalidOption("SHELL", shell, "use bash or zsh");
}

int manual(const Settings& /*settings*/) { return print(man_page()); }

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "Print a script that completes commands and options in bash or zsh",
          .examples = "source <(strata completion bash)\nstrata completion zsh > ~/.zfunc/_strata",
          .arguments = {{"SHELL", "bash or zsh"}},
          .options = {},
          .run = complete};
}

Command man_command() {
  return {.name = "man",
          .summary = "Print the manual page",
          .examples = "strata man | man -l -",
          .arguments = {},
          .options = {},
          .run = manual};
}

}  // namespace app
