const records = JSON.parse(document.querySelector("#records").textContent);
Chart.defaults.font.family = "system-ui, sans-serif";
({study: studyReport, trace: traceReport, model: modelReport})[records.kind](records);
