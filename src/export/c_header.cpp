// The header of a model in C: what its user sees.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "export/c_names.h"
#include "export/c_text.h"

namespace strata::exported {

namespace {

CEnum enum_names(CScope& scope, const std::string& prefix, const std::vector<std::string>& categories,
                 bool of_labels) {
  const auto name = [&](std::string_view end) { return scope.add(fmt::format("{}_{}", prefix, end)); };
  CEnum made{.tag = scope.add(prefix), .missing = name("missing")};
  if (!of_labels) {
    made.other = name("other");
    made.from = name("from");
  }
  made.text = name("text");
  for (const std::string& category : categories) made.enumerators.push_back(name(category));
  return made;
}

void write_enum(std::string& out, const CEnum& names, const std::vector<std::string>& categories) {
  const auto line = [&](const std::string& name, int value, const std::string& comment) {
    fmt::format_to(std::back_inserter(out), "  {} = {}, /* {} */\n", name, value, comment);
  };
  fmt::format_to(std::back_inserter(out), "enum {} {{\n", names.tag);
  if (!names.other.empty()) line(names.other, -2, "was not seen in training");
  line(names.missing, -1, names.other.empty() ? "there is no prediction" : "has no value");
  for (std::size_t k = 0; k < categories.size(); ++k)
    line(names.enumerators[k], static_cast<int>(k), c_comment(categories[k]));
  out += "};\n";
}

void write_functions(std::string& out, const CEnum& names, bool of_numbers) {
  if (!names.from.empty())
    fmt::format_to(std::back_inserter(out), "enum {} {}({});\n", names.tag, names.from,
                   of_numbers ? "double number" : "const char *text");
  fmt::format_to(std::back_inserter(out),
                 "const char *{}(enum {} value); /* \"\" beyond the categories */\n\n", names.text,
                 names.tag);
}

void write_inputs(std::string& out, const Program& program, const CNames& names) {
  fmt::format_to(std::back_inserter(out), "struct {}_input {{\n", names.prefix);
  for (std::size_t k = 0; k < program.fields.size(); ++k) {
    const Field& field = program.fields[k];
    const std::string type = field.category ? "enum " + names.categories[k].tag : "double";
    fmt::format_to(std::back_inserter(out), "  {} {}; /* {} */\n", type, names.fields[k],
                   c_comment(field.name));
  }
  out += "};\n\n";
}

void write_outputs(std::string& out, const Program& program, const CNames& names) {
  fmt::format_to(std::back_inserter(out), "struct {}_output {{\n", names.prefix);
  if (program.classes.empty())
    for (std::size_t k = 0; k < names.outputs.size(); ++k)
      fmt::format_to(std::back_inserter(out), "  double {}; /* {} */\n", names.outputs[k],
                     c_comment(program.names[k]));
  else
    fmt::format_to(std::back_inserter(out),
                   "  enum {} label; /* the most probable class */\n"
                   "  double probability[{}]; /* of each class */\n",
                   names.label.tag, program.classes.size());
  out += "};\n\n";
}

}  // namespace

CNames c_names(const Program& program, std::string_view name) {
  CNames names{.prefix = c_identifier(name)};
  CScope scope;
  for (const char* const end :
       {"predict", "input", "output", "status", "done", "missing_value", "unseen_category"})
    scope.add(fmt::format("{}_{}", names.prefix, end));
  CScope members;
  for (const Field& field : program.fields) {
    names.fields.push_back(members.add(field.name));
    names.categories.push_back(
        field.category ? enum_names(scope, names.prefix + "_" + names.fields.back(), field.categories, false)
                       : CEnum{});
  }
  CScope outputs;
  if (program.classes.empty())
    for (const std::string& output : program.names) names.outputs.push_back(outputs.add(output));
  else
    names.label = enum_names(scope, names.prefix + "_" + c_identifier(program.target), program.classes, true);
  return names;
}

std::string c_header(const Program& program, const CNames& names) {
  std::string guard = names.prefix + "_H";
  std::ranges::transform(guard, guard.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  std::string out = fmt::format(
      "/* A model that Strata trained: {}, {} inputs, C99. Nothing is allocated, and calls may run at the "
      "same time.\n"
      " * A number that is missing is NAN; a category that is missing or was not seen in training has an "
      "enumerator.\n"
      " * This file is generated. */\n"
      "#ifndef {}\n#define {}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      c_comment(program.brief), program.fields.size(), guard, guard);
  for (std::size_t k = 0; k < program.fields.size(); ++k)
    if (const Field& field = program.fields[k]; field.category) {
      write_enum(out, names.categories[k], field.categories);
      write_functions(out, names.categories[k], !field.numbers.empty());
    }
  if (!program.classes.empty()) {
    write_enum(out, names.label, program.classes);
    write_functions(out, names.label, false);
  }
  write_inputs(out, program, names);
  write_outputs(out, program, names);
  fmt::format_to(
      std::back_inserter(out),
      "enum {0}_status {{\n"
      "  {0}_done = 0,\n"
      "  {0}_missing_value = 1, /* {1} */\n"
      "  {0}_unseen_category = 2 /* {2} */\n"
      "}};\n\n"
      "/* Unless it is done, numbers of the output are NAN. */\n"
      "enum {0}_status {0}_predict(const struct {0}_input *input, struct {0}_output *output);\n\n"
      "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      names.prefix,
      program.fills_missing ? "never: this model fills in what is missing" : "the model needs every value",
      program.takes_unseen ? "never: this model takes other categories"
                           : "the model knows its categories only");
  return out;
}

}  // namespace strata::exported
