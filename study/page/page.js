"use strict";
// What both reports are made of: elements, numbers as text, colours, sections with charts. Text goes into the page as
// text nodes, never as HTML.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Three digits, as people read them; the exact number is in the element around it (<data value>) or in the chart.
function short(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 0.01 && size < 1e6) return String(Number(value.toPrecision(3)));
  return value.toExponential(2).replace(/\.?0+e/, "e");
}

const number = (value) => element("data", {value: value === null ? "" : String(value)}, short(value));
const unique = (list) => [...new Set(list)];
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A series keeps its colour, dashes and marker wherever it appears. Those the paper compares, and blgn, are fixed; others
// follow in the order of their names.
const fixedSlots = {b2ld: 1, lbfgs: 2, bling: 3, ig: 4, blgn: 5};
const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [], [4, 4], [12, 4], [1, 3]];
const markers = ["circle", "rect", "triangle", "rectRot", "star", "cross", "crossRot", "rectRounded"];

function styleOf(name, others) {
  const slot = fixedSlots[name] || 6 + (Math.max(0, others.indexOf(name)) % 3);
  return {color: color(`--series-${slot}`), dash: dashes[slot - 1], marker: markers[slot - 1],
          width: name === "blgn" ? 3 : 1.8};
}

const translucent = (hex) => hex + "40";

// --- axes ----------------------------------------------------------------------------------------------------------

const tickText = (value) => short(Number(value.toPrecision(12)));

function axis(type, title, more = {}, ticks = {}) {
  return {type, title: {display: true, text: title, color: color("--faint")}, grid: {color: color("--rule")},
          ticks: {color: color("--faint"), maxRotation: 0, ...ticks}, ...more};
}

const linear = (title) => axis("linear", title, {beginAtZero: true}, {callback: tickText});
const category = (title) => axis("category", title, {grid: {color: color("--rule"), display: false}}, {autoSkip: false});

// From a round number below the values to one above; the longer the range, the fewer numbers stand at it.
function log(title, values) {
  const positive = values.filter((value) => value > 0);
  const span = Math.log10(Math.max(...positive) / Math.min(...positive));
  const heads = span > 2.5 ? [1] : span > 1.2 ? [1, 2, 5] : span > 0.5 ? [1, 1.5, 2, 3, 4, 5, 7] :
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
  const step = Math.max(1, Math.round(span / 7));
  const first = Math.floor(Math.log10(Math.min(...positive))) - 1;
  const rounds = [];
  for (let decade = first; decade < first + span + 4; ++decade)
    if ((decade - first) % step === 0) rounds.push(...heads.map((head) => Number(`${head}e${decade}`)));
  const min = rounds.filter((round) => round < 0.98 * Math.min(...positive)).at(-1);
  const max = rounds.find((round) => round > 1.02 * Math.max(...positive));
  return axis("logarithmic", title, {min, max, afterBuildTicks: (scale) => {
    scale.ticks = rounds.filter((round) => round >= min && round <= max).map((value) => ({value}));
  }}, {callback: tickText});
}

// --- sections ------------------------------------------------------------------------------------------------------

const redraws = [];  // of all sections, for when the theme changes
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach((draw) => draw()));

function section(id, title, ...children) {
  document.querySelector("nav").append(element("a", {href: `#${id}`}, title));
  const made = element("section", {id}, element("h2", {}, title), ...children);
  document.querySelector("main").append(made);
  return made;
}

function choice(name, values, selected, changed) {
  const select = element("select", {name});
  for (const value of values) select.append(element("option", {value}, value));
  select.value = selected;
  select.addEventListener("change", () => changed(select.value));
  return element("label", {}, `${name} `, select);
}

const svgElement = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

// The sample of a series in the legend: its line, or its bar.
function sample(dataset) {
  const picture = svgElement("svg", {viewBox: "0 0 38 16", "aria-hidden": "true"});
  picture.append(dataset.sample === "bar"
    ? svgElement("rect", {x: 2, y: 2, width: 34, height: 12, fill: dataset.backgroundColor, stroke: dataset.borderColor,
                          "stroke-width": 2})
    : svgElement("line", {x1: 0, y1: 8, x2: 38, y2: 8, stroke: dataset.borderColor, "stroke-width": 2 * dataset.borderWidth,
                          "stroke-dasharray": dataset.borderDash.map((length) => 1.3 * length).join(" ")}));
  return picture;
}

function drawLegend(place, figures, hidden, redraw) {
  const series = new Map();
  for (const figure of figures)
    for (const dataset of figure.data.datasets)
      if (!series.has(dataset.label)) series.set(dataset.label, dataset);
  place.replaceChildren();
  if (series.size < 2) return;
  for (const [label, dataset] of series) {
    const button = element("button", {type: "button", "aria-pressed": String(!hidden.has(label))}, sample(dataset), label);
    button.addEventListener("click", () => {
      if (!hidden.delete(label)) hidden.add(label);
      button.setAttribute("aria-pressed", String(!hidden.has(label)));
      redraw();
    });
    place.append(button);
  }
}

const tooltip = {label: ({dataset, parsed}) => `${dataset.label}: ${dataset.tell ? dataset.tell() : short(parsed.y)}`};

function drawFigure(place, figure, hidden) {
  const canvas = element("canvas", {role: "img", "aria-label": `${figure.title}, ${figure.caption}. ${figure.alternative}`});
  place.append(element("figure", {}, element("figcaption", {}, element("b", {}, figure.title), ` ${figure.caption}`),
                       element("div", {class: "canvas"}, canvas)));
  for (const dataset of figure.data.datasets) dataset.hidden = hidden.has(dataset.label);
  return new Chart(canvas, {
    type: figure.type, data: figure.data,
    options: {animation: false, maintainAspectRatio: false, scales: figure.scales,
              interaction: {mode: figure.type === "bar" ? "index" : "nearest", intersect: false},
              plugins: {legend: {display: false}, tooltip: {callbacks: tooltip}}}});
}

// A section of charts with its own legend and choices. `figures(chosen)` gives what to draw: {title, caption,
// alternative (the chart in words), type, data, scales}. `hidden` names the series that are off at first.
function chartSection(id, title, about, {choices = {}, hidden = [], figures}) {
  const chosen = {};
  const off = new Set(hidden);
  const controls = element("div", {class: "controls"});
  const legend = element("div", {class: "legend", role: "group", "aria-label": "Shown"});
  const grid = element("div", {class: "charts"});
  let charts = [];
  const draw = () => {
    charts.forEach((chart) => chart.destroy());
    grid.replaceChildren();
    const list = figures(chosen);
    if (list.length === 0) grid.append(element("p", {class: "note"}, "There are no runs of this choice."));
    grid.classList.toggle("few", list.length < 3);
    charts = list.map((figure) => drawFigure(grid, figure, off));
    return list;
  };
  const drawAll = () => drawLegend(legend, draw(), off, draw);
  for (const [name, {values, selected}] of Object.entries(choices)) {
    chosen[name] = selected;
    if (values.length > 1)
      controls.append(choice(name, values, selected, (value) => {
        chosen[name] = value;
        drawAll();
      }));
  }
  section(id, title, element("p", {class: "note"}, about), controls, legend, grid);
  drawAll();
  redraws.push(drawAll);
}

// --- kinds of series -----------------------------------------------------------------------------------------------

function bars(label, values, style, more = {}) {
  return {label, data: values, backgroundColor: style.color, borderColor: style.color, borderWidth: 1, sample: "bar", ...more};
}

// points: [x, y] pairs; those a logarithmic axis has no place for are left out. The last one has the marker.
function line(label, points, style, more = {}) {
  const data = points.map(([x, y]) => ({x, y}));
  const last = data.length - 1;
  return {label, data, borderColor: style.color, backgroundColor: style.color, borderWidth: style.width,
          borderDash: style.dash, pointStyle: style.marker, pointBorderWidth: 2, stepped: true,
          pointRadius: data.map((_, i) => (i === last ? 5 : 0)), pointHitRadius: 6, ...more};
}

const placed = (points) => points.filter(([x, y]) => x > 0 && y > 0);

// --- tables --------------------------------------------------------------------------------------------------------

// rows: lists of texts or elements. The box scrolls by itself, by keyboard too. Columns of words are set to the left.
function tableBox(name, header, rows) {
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) =>
    cell instanceof HTMLTableCellElement ? cell : element("td", {}, cell))));
  const cells = [element("tr", {}, ...header.map((text) => element("th", {scope: "col"}, text))), ...body];
  header.forEach((_, i) => {
    if (body.some((row) => /^([a-z]|\d+x\d)/i.test(row.cells[i].textContent)))
      cells.forEach((row) => row.cells[i].classList.add("text"));
  });
  return element("div", {class: "scroll", role: "region", "aria-label": name, tabindex: "0"},
                 element("table", {}, element("thead", {}, cells[0]), element("tbody", {}, ...body)));
}

function list(pairs) {
  return element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
