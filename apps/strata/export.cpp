// strata export: a model for programs without Strata.
#include "command.h"
#include "exit_codes.h"
#include "strata/core/errors.h"
#include "strata/export/c_source.h"
#include "strata/export/onnx.h"
#include "strata/model/model.h"

namespace app {

namespace {

int run_export(const Settings& settings) {
  if (!settings.has("c") && !settings.has("onnx"))
    throw strata::InvalidOption("export", settings.text("MODEL"),
                                "say what to write: --onnx FILE or --c NAME");
  const strata::Model model = strata::load_model(settings.text("MODEL"));
  if (settings.has("onnx")) export_onnx(model, settings.text("onnx"));
  if (settings.has("c")) export_c(model, settings.text("c"));
  return done;
}

}  // namespace

Command export_command() {
  return {.name = "export",
          .summary = "Write a model as an ONNX graph or as C source, for programs without Strata",
          .examples =
              "strata export housing.strata.safetensors --onnx housing.onnx\n"
              "strata export housing.strata.safetensors --c housing && cc -std=c99 -O2 -c housing.c",
          .arguments = {{"MODEL", "a file written by strata train"}},
          .options = {{"onnx", "FILE", "an ONNX graph, opset 19, in double precision"},
                      {"c", "NAME", "C99 without dependencies: NAME.h and NAME.c"}},
          .run = run_export,
          .notes = "Scaling, categories and missing values are part of what is written."};
}

}  // namespace app
