// The report of one training run, from its trace. A number that the method does not compute is null.

function traceReport(report) {
  const sweeps = report.sweeps;
  const paint = (slot, dash = []) => ({color: color(`--series-${slot}`), dash, marker: markers[slot - 1], width: 2});
  const against = (field) => sweeps.seconds.map((seconds, i) => [seconds, sweeps[field][i]]);
  const measured = (field) => sweeps[field].some((value) => value !== null && value > 0);
  const changing = (field) => measured(field) && unique(sweeps[field]).length > 1;

  traceHeading(report);
  overTime("objective", "Objective and validation",
    "After each sweep. The mean loss is that of the batches as they were met, before their steps; " +
    "the objective is evaluated on all rows, where the method does so.",
    (values) => log("loss (scaled units)", values),
    [["value", "objective", 1, []], ["mean_loss", "mean loss of the batches", 8, [7, 3]],
     ["validation_loss", "validation loss", 2, [2, 2]]], {best: true});
  overTime("gradient", "Gradient", "Norm of the gradient of the objective, where it was computed.",
    (values) => log("gradient norm", values), [["gradient_norm", "gradient norm", 3, []]]);
  overTime("batch", "Batch size", "Rows a step works on, after each sweep.", () => linear("rows"),
    [["batch_size", "batch size", 1, []]], {worth: changing});
  overTime("step-size", "Step size", "The factor of gradient steps, after each sweep.", (values) => log("step size", values),
    [["step_size", "step size", 4, []]], {worth: changing});
  stepLengths();
  layers();

  function overTime(id, title, about, scale, series, {worth = measured, best = false} = {}) {
    const shown = series.filter(([field]) => worth(field));
    if (shown.length === 0) return;
    const time = (kind) => (kind === "logarithmic" ? log("time (s)", sweeps.seconds) : linear("time (s)"));
    chartSection(id, title, about, {
      choices: best ? {"time axis": {values: ["linear", "logarithmic"], selected: "linear"}} : {},
      figures: (chosen) => [{
        title, caption: "against time", type: "line",
        data: {datasets: [...shown.map(([field, label, slot, dash]) =>
          line(label, known(against(field)), paint(slot, dash), {stepped: false})), ...(best ? [bestSweep(shown)] : [])]},
        alternative: shown.map(([field, label]) => rangeInWords(label, known(against(field)))).join("; ") +
                     (best ? `; the best sweep is ${report.best.sweep + 1}, at ${short(report.best.seconds)} s` : ""),
        scales: {x: time(chosen["time axis"]), y: scale(shown.flatMap(([field]) => sweeps[field]))}}]});
  }

  // A mark on each curve at the sweep whose weights were kept.
  function bestSweep(shown) {
    const marks = known(shown.map(([field]) => [report.best.seconds, report.best[field]]));
    return line(`best sweep (${report.best.sweep + 1})`, marks, paint(3),
                {showLine: false, pointStyle: "rectRot", pointRadius: 8, borderDash: []});
  }

  function stepLengths() {
    const moved = report.blocks.filter((block) => placed(block.lengths).length > 0);
    if (moved.length === 0) return;
    chartSection("step-length", "Step length", "Distance that each visit moved the weights of a block of layers.",
      {figures: () => [{
        title: "Step length", caption: "of each visit, against time", type: "line",
        data: {datasets: moved.map((block, i) => line(block.name, block.lengths.filter(([, y]) => y > 0), ramp(i, moved.length),
                                                      {stepped: false}))},
        alternative: moved.map((block) => rangeInWords(block.name, placed(block.lengths))).join("; "),
        scales: {x: linear("time (s)"), y: log("step length", moved.flatMap((block) => block.lengths.map(([, y]) => y)))}}]});
  }

  function layers() {
    const names = report.blocks.map((block) => block.name);
    const stack = (field, label, slot) =>
      bars(label, report.blocks.map((block) => block[field]), paint(slot), {stack: "visits"});
    chartSection("layers", "Layers",
      "How often each block of layers was visited and with what outcome, and the inner iterations spent on it; " +
      "layer 1 is the first.",
      {figures: () => {
        const visits = [stack("taken", "step taken", 1), stack("fallbacks", "fell back to the Armijo step", 6),
                        stack("skipped", "skipped", 8), stack("refused", "refused", 2)];
        const iterations = [bars("inner iterations", report.blocks.map((block) => block.iterations), paint(3))];
        return [["Visits", visits], ["Inner iterations", iterations]].map(([title, datasets]) => ({
          title, caption: "by block of layers", type: "bar", data: {labels: names, datasets},
          alternative: inWords(datasets, names),
          scales: {x: {...category("layers"), stacked: true}, y: {...linear(title.toLowerCase()), stacked: true}}}));
      }});
    const fields = ["visits", "taken", "fallbacks", "skipped", "refused", "iterations"];
    document.querySelector("#layers").append(tableBox("Layers",
      ["layers", "visits", "step taken", "fell back", "skipped", "refused", "inner iterations"],
      report.blocks.map((block) => [block.name, ...fields.map((field) => number(block[field]))])));
  }
}

const known = (points) => points.filter(([, y]) => y !== null);

// From the first block to the last: hue and lightness both change, so the order shows without colours too.
function ramp(i, count) {
  const t = count > 1 ? i / (count - 1) : 0;
  const [dark, light] = color("--ramp").split(" ").map(Number);
  return {color: `hsl(${270 - 200 * t} 60% ${dark + (light - dark) * t}%)`, dash: dashes[i % 4],
          marker: markers[i % markers.length], width: 1.5};
}

function rangeInWords(label, points) {
  const [first, last] = [points[0], points.at(-1)];
  return `${label}: from ${short(first[1])} at ${short(first[0])} s to ${short(last[1])} at ${short(last[0])} s`;
}

function traceHeading(report) {
  const {run, result, best} = report;
  document.title = `Strata: ${report.name}`;
  document.querySelector("h1").textContent =
    run ? `${run.method} on ${run.data}, to predict ${run.targets.join(", ")}` : "A training run, step by step";
  document.querySelector("#about").textContent =
    `${report.name}: ${report.count.sweeps} sweeps, ${report.count.steps} visits of layers` +
    (run && run.members > 1 ? `, of the first of ${run.members} members.` : ".");
  const lowest = Object.entries(report.lowest).filter(([, value]) => value !== null);
  const about = run ? [["data", `${run.data}, ${run.rows} training rows`], ["target", run.targets.join(", ")],
                       ["method", run.method], ["network", `${run.network}, ${run.weights} weights`]] : [];
  section("summary", "Summary", list([
    ...about,
    ["stopped by", result ? firstOf(result).reason.replaceAll("_", " ") : "nothing yet: the trace has no end"],
    ["time (s)", number(report.seconds)],
    ["best sweep", `${best.sweep + 1}, after ${short(best.seconds)} s`],
    ...lowest.map(([name, value]) => [`lowest ${name}`, number(value)])]));
  if (result) document.querySelector("#summary").append(errorTable(result));
}

const firstOf = (result) => result.of_members?.[0] ?? result;

// The errors of the model when training had ended, on each set of rows that there was.
function errorTable(result) {
  const sets = Object.keys(result.rows);
  const figures = Object.entries(result).filter(([name, value]) =>
    value !== null && typeof value === "object" && "train" in value && name !== "rows" && name !== "confusion");
  const cell = (value) => element("span", {}, ...[value].flat().flatMap((one) => [number(one), " "]));
  return tableBox("Final errors", ["final errors", "rows", ...figures.map(([name]) => name.replaceAll("_", " "))],
    sets.map((set) => [set === "train" ? "training" : set, String(result.rows[set]),
                       ...figures.map(([, values]) => cell(values[set] ?? null))]));
}
