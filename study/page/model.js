// The report of a model on rows that did not train it.

function modelReport(report) {
  const paint = (slot, dash = []) => ({color: color(`--series-${slot}`), dash, marker: markers[slot - 1], width: 2});
  const dots = (label, points, slot) => line(label, points, paint(slot), {showLine: false, pointRadius: 2.5, pointStyle: "circle",
                                                                         pointBorderWidth: 0});
  const diagonal = (label, from, to) => line(label, [[from, from], [to, to]], paint(8, [4, 4]), {pointRadius: 0, stepped: false});

  modelHeading(report);
  if (report.scatter) regression();
  if (report.classes) classification();
  importance();
  dependence();
  worst();

  function regression() {
    const figures = () => report.scatter.flatMap(({name, points}) => {
      const values = points.flat().filter((value) => value !== null);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const known = points.filter(([truth, guess]) => truth !== null && guess !== null);
      const residuals = known.map(([truth, guess]) => [guess, truth - guess]);
      return [{title: name, caption: "predicted against true", type: "line",
               data: {datasets: [dots("rows", known, 1), diagonal("no error", low, high)]},
               alternative: `${known.length} rows between ${short(low)} and ${short(high)}`,
               scales: {x: open("true value"), y: open("predicted")}},
              {title: name, caption: "residual against predicted", type: "line",
               data: {datasets: [dots("rows", residuals, 1)]},
               alternative: `residuals between ${short(Math.min(...residuals.map(([, y]) => y)))} and ` +
                            `${short(Math.max(...residuals.map(([, y]) => y)))}`,
               scales: {x: open("predicted"), y: open("true - predicted")}}];
    });
    chartSection("fit", "Predicted and true values", "Each point is a row; of many rows 800 are drawn.", {figures});
  }

  function classification() {
    const figures = () => {
      const all = [];
      if (report.roc) all.push({
        title: `Finding ${report.classes[1]}`, caption: "at every threshold", type: "line",
        data: {datasets: [line("model", report.roc, paint(1), {pointRadius: 0}), diagonal("by chance", 0, 1)]},
        alternative: "share of its rows that are found against share of other rows taken for it",
        scales: {x: linear("share of other rows taken for it"), y: linear("share of its rows found")}});
      all.push({
        title: "Calibration", caption: "of the predicted class", type: "line",
        data: {datasets: [line("model", report.calibration.map(([p, share]) => [p, share]), paint(1),
                               {pointRadius: 4, stepped: false}), diagonal("calibrated", 0, 1)]},
        alternative: report.calibration.map(([p, share, rows]) => `${short(p)}: ${short(share)} of ${rows} rows`).join("; "),
        scales: {x: linear("predicted probability"), y: linear("share of rows that are of it")}});
      return all;
    };
    chartSection("classes", "Classes", "How well the probabilities separate the classes, and whether they mean what they say.",
                 {figures});
    if (report.confusion)
      document.querySelector("#classes").append(tableBox("Confusion", ["true class", ...report.classes.map((name) => `as ${name}`)],
        report.confusion.map((row, i) => [report.classes[i], ...row.map(number)])));
  }

  function importance() {
    const {error, value, rows, inputs} = report.importance;
    const names = inputs.map(({name}) => name);
    const values = inputs.map(({increase}) => increase);
    chartSection("importance", "Importance of the inputs",
      `Increase of the ${error} (${short(value)}) when the values of an input are shuffled among ${rows} rows.`,
      {figures: () => [{
        title: "Importance", caption: `increase of the ${error}`, type: "bar",
        data: {labels: names.slice(0, 20), datasets: [bars("increase", values.slice(0, 20), paint(1))]},
        alternative: names.map((name, i) => `${name}: ${short(values[i])}`).join("; "),
        scales: {x: category("input"), y: linear(`increase of the ${error}`)}}]});
    document.querySelector("#importance").append(tableBox("Importance", ["input", "increase", "spread"],
      inputs.map(({name, increase, spread}) => [name, number(increase), number(spread)])));
  }

  function dependence() {
    const about = report.classes ? `the probability of ${report.classes.at(-1)}` : report.targets[0];
    chartSection("dependence", "Partial dependence",
      `Mean of ${about} when every row has the same value of an input, for the inputs that matter most.`,
      {figures: () => report.dependence.map(({name, numeric, points}) => ({
        title: name, caption: `mean of ${about}`, type: numeric ? "line" : "bar",
        data: numeric ? {datasets: [line(about, points, paint(3), {stepped: false, pointRadius: 2})]}
                      : {labels: points.map(([text]) => text), datasets: [bars(about, points.map(([, y]) => y), paint(3))]},
        alternative: points.map(([x, y]) => `${numeric ? short(x) : x}: ${short(y)}`).join("; "),
        scales: {x: numeric ? open(name) : category(name), y: open(about)}}))});
  }

  function worst() {
    const {inputs, rows} = report.worst;
    section("worst", "Rows predicted worst", element("p", {class: "note"}, "With their line in the file."),
      tableBox("Rows predicted worst", ["line", "true", "predicted", ...inputs],
        rows.map(({line, truth, predicted, values}) => [String(line), ...[truth, predicted, ...values].map(cell)])));
  }
}

// Long numbers are shown with six digits; the whole is in the file.
function cell(text) {
  const digits = /^-?\d+\.\d+$/.test(text) && text.replace(/\D/g, "").length > 7;
  return digits ? element("data", {value: text}, String(Number(Number(text).toPrecision(6)))) : text;
}

// An axis that need not begin at zero.
const open = (title) => axis("linear", title, {}, {callback: tickText});

function modelHeading(report) {
  document.title = `Strata: ${report.targets.join(", ")}`;
  document.querySelector("h1").textContent = `A model of ${report.targets.join(", ")}`;
  document.querySelector("#about").textContent = `${report.task}, measured on ${report.rows} rows of ${report.name}.`;
  const training = report.training;
  const told = {"trained on": training.rows && `${training.rows.train} rows`, method: training.method,
                network: training.members > 1 ? `${training.members} of ${training.network}` : training.network,
                loss: training.loss, seed: training.seed, "stopped by": training.reason?.replaceAll("_", " "),
                sweeps: training.sweeps, seconds: training.seconds && short(training.seconds)};
  section("summary", "Summary", list([
    ...Object.entries(told).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
    ...Object.entries(report.errors).map(([name, values]) => [name, element("span", {}, ...values.flatMap((value) => [number(value), " "]))])]));
}
