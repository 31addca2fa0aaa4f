#include "study/readings.h"

#include "strata/core/errors.h"
#include "strata/core/suggestion.h"

namespace strata {

namespace {

MethodOptionValues found_reading(std::string_view method) {
  // The paper's f_h is the sum over the minibatch; the norm that is bounded from below is that of its gradient.
  if (method == "bling" || method == "ig") return {{"sum", "on"}};
  if (method != "b2ld" && method != "lbfgs") return {};
  // The authors' solver is scipy's L-BFGS-B. It ends by the relative decrease of an iteration; rule (i) is asked between
  // visits of layers, or rounds.
  MethodOptionValues options{{"inner-decrease", "1e-6"},      {"gradient-every-visit", "on"},
                             {"inner-norm", "maximum"},       {"first-step", "unit"},
                             {"line-search", "more_thuente"}, {"sufficient-decrease", "1e-3"},
                             {"keep-history", "off"}};
  if (method == "b2ld") options.merge(MethodOptionValues{{"epsilon", "off"}, {"inner-gradient", "off"}});
  return options;
}

MethodOptionValues presets(std::string_view /*method*/) { return {}; }

}  // namespace

const std::vector<Reading>& readings() {
  static const std::vector<Reading> all{
      {"paper", "the rules that agree best with the paper's tables", found_reading},
      {"presets", "every method as it is outside of the protocol", presets},
  };
  return all;
}

const Reading& reading(std::string_view name) {
  std::vector<std::string> known;
  for (const Reading& each : readings()) {
    if (each.name == name) return each;
    known.emplace_back(each.name);
  }
  throw InvalidOption("reading", name, "there is no such reading" + suggestion(name, known));
}

MethodOptionValues with_reading(const Reading& reading, std::string_view method,
                                const MethodOptionValues& given) {
  MethodOptionValues values = given;
  values.merge(reading.options(method));  // keeps what is there
  return values;
}

}  // namespace strata
