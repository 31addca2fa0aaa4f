// The report of a study. A cell is what the runs of one reading, data set, network and method have in common; the numbers
// in it are those of the records.

const paperReading = "paper";
const scaledObjective = "objective (scaled units)";
const measures = {objective: "objective", test_mse: "test error"};

function studyReport(report) {
  const cells = report.cells;
  const methods = unique(cells.map((cell) => cell.method));
  const others = methods.filter((name) => !(name in fixedSlots)).sort();
  const readings = {values: unique(cells.map((cell) => cell.variant)), selected: cells[0].variant};
  const networkNames = unique(cells.map((cell) => cell.network));
  const networks = {values: networkNames, selected: networkNames.at(-1)};
  const style = (method) => styleOf(method, others);
  const select = (wanted) =>
    cells.filter((cell) => Object.entries(wanted).every(([field, value]) => cell[field] === value));
  const byData = (wanted, make) => {
    const found = select(wanted);
    return unique(found.map((cell) => cell.data)).map((data) => make(data, found.filter((cell) => cell.data === data)));
  };

  heading(report, cells);
  agreement(report.agreement);
  report.figures.forEach((figure, i) => histogram(i + 1, figure));
  objectiveAgainstTime();
  updatesPerLayer();
  boxPlots();
  ranking();
  tables(report.tables);
  allRuns(cells);
  machine(report.study);

  // The paper's figures with its own values beside ours.
  function histogram(number, {methods: pair, paper}) {
    const figures = (chosen) => byData({variant: paperReading}, (data, found) => ({data, found}))
      .filter(({found}) => found.some((cell) => pair.includes(cell.method)))
      .map(({data, found}) => histogramOf(data, found, pair, paper, chosen.axis));
    if (figures({}).length === 0) return;
    chartSection(`figure${number}`, `Figure ${number}: ${pair.join(" against ")}`,
      "The best objective of all runs for each network, as in the paper's histograms; beside ours, lighter, the paper's own. " +
      "On the logarithmic axis compare the tops of bars, not their lengths.",
      {choices: {axis: {values: ["logarithmic", "linear"], selected: "logarithmic"}}, figures});
  }

  function histogramOf(data, found, pair, paper, scale) {
    const names = networkNames.filter((name) => found.some((cell) => cell.network === name && pair.includes(cell.method)));
    const ours = (method) => names.map((name) => {
      const cell = found.find((one) => one.network === name && one.method === method);
      return cell ? cell.best.objective : null;
    });
    const published = (method) => names.map((name) => {
      const figure = paper.find((one) => one.data === data && one.network === name && one.method === method);
      return figure ? figure.objective : null;
    });
    const datasets = pair.flatMap((method) => [
      bars(method, ours(method), style(method)),
      bars(`${method}, paper`, published(method), style(method), {backgroundColor: translucent(style(method).color)})])
      .filter((one) => !one.label.endsWith(", paper") || report.agreement.length > 0);
    const room = withRoomBelow(datasets.flatMap((one) => one.data));
    return {title: data, caption: "best objective by network", type: "bar", data: {labels: names, datasets},
            alternative: inWords(datasets, names),
            scales: {x: category("network"), y: scale === "linear" ? linear(scaledObjective) : log(scaledObjective, room)}};
  }

  function objectiveAgainstTime() {
    chartSection("time", "Objective against time",
      "Best objective so far of the run that ended lowest, for each method. " +
      `The time is ${report.study.clock}; the start, at 0 s, has no place on the axis.`,
      {choices: {network: networks, reading: readings}, figures: (chosen) =>
        byData({variant: chosen.reading, network: chosen.network}, (data, found) => curvesOf(data, found, chosen.network))});
  }

  function curvesOf(data, found, network) {
    const points = found.flatMap((cell) => placed(cell.best.curve));
    const ending = ({method, best}) => `${method} ends at ${short(best.objective)} after ${short(best.seconds)} s`;
    return {title: data, caption: `objective against time, ${network}`, type: "line",
            data: {datasets: found.map((cell) => line(cell.method, placed(cell.best.curve), style(cell.method)))},
            alternative: found.map(ending).join("; "),
            scales: {x: log("time (s)", points.map(([x]) => x)), y: log(scaledObjective, points.map(([, y]) => y))}};
  }

  function updatesPerLayer() {
    const hidden = methods.includes("b2ld") ? methods.filter((name) => name !== "b2ld") : [];
    chartSection("updates", "Updates per layer",
      "Inner iterations spent on each layer in the run that ended lowest; layer 1 is the first. " +
      "For b2ld on 10x50 the paper's counts (its Table 5) stand beside.",
      {choices: {network: networks, reading: readings}, hidden, figures: (chosen) =>
        byData({variant: chosen.reading, network: chosen.network}, (data, found) => updatesOf(data, found, chosen))});
  }

  function updatesOf(data, found, chosen) {
    const layers = Math.max(...found.map((cell) => cell.best.updates_per_layer.length));
    const labels = Array.from({length: layers}, (_, layer) => String(layer + 1));
    const datasets = found.map((cell) => bars(cell.method, cell.best.updates_per_layer, style(cell.method)));
    for (const figure of report.published_updates)
      if (chosen.reading === paperReading && figure.data === data && figure.network === chosen.network)
        datasets.push(bars(`${figure.method}, paper`, figure.updates_per_layer, style(figure.method),
                           {backgroundColor: translucent(style(figure.method).color)}));
    return {title: data, caption: `updates per layer, ${chosen.network}`, type: "bar", data: {labels, datasets},
            alternative: inWords(datasets, labels.map((layer) => `layer ${layer}`)),
            scales: {x: category("layer"), y: linear("updates")}};
  }

  // Methods by their test error: the median over the starts, and its rank among the methods, set by set.
  function ranking() {
    const box = element("div");
    const chosen = {network: networks.selected, reading: readings.selected};
    const controls = element("div", {class: "controls"});
    const draw = () => box.replaceChildren(rankingTable(chosen));
    for (const [name, {values}] of Object.entries({network: networks, reading: readings}))
      if (values.length > 1)
        controls.append(choice(name, values, chosen[name], (value) => {
          chosen[name] = value;
          draw();
        }));
    section("ranking", "Ranking by test error",
      element("p", {class: "note"}, "The median test error of the starts (scaled units), with its rank among the methods; " +
              "methods by the mean of their ranks, lowest error first."), controls, box);
    draw();
  }

  function rankingTable({network, reading}) {
    const found = select({variant: reading, network}).filter((cell) => cell.boxes.test_mse);
    const sets = unique(found.map((cell) => cell.data));
    const error = (method, data) =>
      found.find((cell) => cell.method === method && cell.data === data)?.boxes.test_mse.median ?? null;
    const rank = (method, data) => (error(method, data) === null ? null :
      1 + found.filter((cell) => cell.data === data && cell.boxes.test_mse.median < error(method, data)).length);
    const rows = unique(found.map((cell) => cell.method)).map((method) => {
      const ranks = sets.map((data) => rank(method, data)).filter((one) => one !== null);
      return {method, mean: ranks.reduce((sum, one) => sum + one, 0) / ranks.length};
    }).sort((a, b) => a.mean - b.mean);
    return tableBox("Ranking by test error", ["method", "mean rank", ...sets], rows.map(({method, mean}) =>
      [method, number(mean), ...sets.map((data) => error(method, data) === null ? "–" :
        element("span", {}, number(error(method, data)), ` (${rank(method, data)})`))]));
  }

  function boxPlots() {
    chartSection("spread", "Spread over the runs",
      "Box: the middle half of the runs, with the median; whiskers: from the lowest to the highest; dots: single runs.",
      {choices: {network: networks, measure: {values: Object.values(measures), selected: measures.objective}, reading: readings},
       figures: (chosen) => byData({variant: chosen.reading, network: chosen.network}, (data, found) =>
         boxesOf(data, found, Object.keys(measures).find((key) => measures[key] === chosen.measure)))});
  }

  function boxesOf(data, found, measure) {
    const drawn = found.filter((cell) => cell.boxes[measure]);
    const at = (cell, value) => drawn.map((other) => (other === cell ? value : null));
    const datasets = drawn.flatMap((cell) => {
      const box = cell.boxes[measure];
      const paint = style(cell.method);
      const told = {tell: () => boxInWords(box)};
      const common = {grouped: false, borderSkipped: false, ...told};
      const mark = {type: "line", showLine: false, borderColor: paint.color, ...told};
      return [
        bars(cell.method, at(cell, [box.q1, box.q3]), paint,
             {...common, part: "box", backgroundColor: translucent(paint.color), barPercentage: 0.9, order: 3}),
        bars(cell.method, at(cell, [box.lowest, box.highest]), paint, {...common, part: "whiskers", barThickness: 2, order: 4}),
        {...mark, label: cell.method, data: at(cell, box.median), part: "median", pointStyle: "line", pointRadius: 14,
         pointHoverRadius: 14, pointBorderWidth: 3, order: 2},
        {...mark, label: cell.method, part: "runs", pointRadius: 2, backgroundColor: paint.color, order: 1,
         data: cell.runs.filter((run) => run[measure] !== null).map((run) => ({x: cell.method, y: run[measure]}))}];
    });
    const ends = drawn.flatMap((cell) => [cell.boxes[measure].lowest, cell.boxes[measure].highest]);
    return {title: data, caption: `${measures[measure]} over the runs`, type: "bar",
            data: {labels: drawn.map((cell) => cell.method), datasets},
            alternative: drawn.map((cell) => `${cell.method}: ${boxInWords(cell.boxes[measure])}`).join("; "),
            scales: {x: category("method"), y: log(`${measures[measure]} (scaled units)`, ends)}};
  }
}

// A logarithmic axis cuts bars off somewhere: not so near the lowest value that nothing is left of its bar.
function withRoomBelow(values) {
  const positive = values.filter((value) => value > 0);
  return [...positive, Math.min(...positive) / 2];
}

const boxInWords = (box) => `median ${short(box.median)}, middle half ${short(box.q1)} to ${short(box.q3)}, ` +
  `all ${short(box.lowest)} to ${short(box.highest)}, ${box.runs} runs`;

const inWords = (datasets, labels) => datasets.map((dataset) =>
  `${dataset.label}: ${labels.map((label, i) => `${label} ${short(dataset.data[i])}`).join(", ")}`).join("; ");

function heading(report, cells) {
  const count = (field, one, many) => {
    const n = unique(cells.map((cell) => cell[field])).length;
    return `${n} ${n === 1 ? one : many}`;
  };
  document.title = `Strata: ${report.name}`;
  const titles = report.study.titles ?? [];
  document.querySelector("h1").textContent = titles.length === 1 ? titles[0] : "The paper's experiments, run by Strata";
  const runs = cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  document.querySelector("#about").textContent = `${runs} runs in ${report.name}: ${count("data", "data set", "data sets")}, ` +
    `${count("network", "network", "networks")}, ${count("method", "method", "methods")}` +
    (report.agreement.length > 0 ? `; ${short(report.study.time_scale)} of the paper's time.` : ".");
}

// Counts of cells that agree with the paper, with their share as a strip.
function agreement(counts) {
  if (counts.length === 0) return;
  section("agreement", "Agreement with the paper", element("div", {class: "tiles"}, ...counts.map((one) => {
    const strip = element("div", {class: "share", "aria-hidden": "true"});
    for (const [kind, n] of [["agrees", one.agree], ["differs", one.differ], ["contradicts", one.contradict ?? 0]]) {
      const part = element("span", {class: kind});
      part.style.flexGrow = n;
      strip.append(part);
    }
    return element("div", {}, one.about, element("strong", {}, `${one.agree} of ${one.compared}`), strip,
                   `${one.agree} agree, ${one.differ} differ${one.contradict === null ? "" : `, ${one.contradict} contradict`}`);
  })));
}

const marks = {agrees: "✓", differs: "~", contradicts: "✗"};

// Without the columns that have no value in any row: networks that were not run, figures that the paper does not have.
function filled({header, rows}) {
  const kept = header.map((_, i) => rows.some((row) => row[i][0] !== "–"));
  const keep = (list) => list.filter((_, i) => kept[i]);
  return {header: keep(header), rows: rows.map(keep)};
}

function markedCell([text, mark]) {
  if (mark === "none") return element("td", {}, text.replaceAll("_", " "));
  return element("td", {class: `mark-${mark}`}, text,
                 element("span", {class: "mark", role: "img", "aria-label": mark, title: mark}, marks[mark]));
}

function tables(views) {
  if (views.length === 0) return;
  const key = element("p", {class: "key"}, ...Object.entries(marks).map(([mark, sign]) =>
    element("span", {class: `mark-${mark}`}, `${sign} ${mark}`)), "beside the paper's figure");
  const made = section("tables", "Tables", key);
  for (const view of views) {
    const {header, rows} = filled(view);
    made.append(element("h3", {id: view.id}, view.title), element("p", {class: "note"}, `${view.note} ${view.agreement}`),
                tableBox(view.title, header, rows.map((row) => row.map(markedCell))));
  }
}

// Many rows: made when they are asked for.
function allRuns(cells) {
  const header = ["data", "network", "method", "reading", "seed", "objective", "test error", "gradient norm", "seconds", "sweeps",
                  "stopped by"];
  const row = (cell, run) => [
    cell.data, cell.network, cell.method, cell.variant, String(run.seed), number(run.objective), number(run.test_mse),
    number(run.gradient_norm), number(run.seconds), String(run.sweeps), run.reason.replaceAll("_", " ")];
  const details = element("details", {}, element("summary", {}, "Show all runs"));
  details.addEventListener("toggle", () => details.append(tableBox("All runs", header,
    cells.flatMap((cell) => cell.runs.map((run) => row(cell, run))))), {once: true});
  section("runs", "All runs", details);
}

function machine(study) {
  section("machine", "Machine and settings", list([
    ["processor", `${study.cpu}, ${study.cores} cores`], ["compiler", study.compiler], ["Strata", study.version],
    ["time limits", `${study.time_scale} of the paper's`], ["starting points", String(study.runs)],
    ["threads of a run", String(study.threads)], ["runs at a time", String(study.jobs)], ["time is", study.clock]]));
}
