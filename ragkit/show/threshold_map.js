// Dots of scores in two lanes and two lines to move: by mouse, finger or arrow keys.
const SVG = "http://www.w3.org/2000/svg";
const LANES = ["relevant", "not relevant"];
const ZONES = [["dropped", "bad"], ["ambiguous", "maybe"], ["kept", "good"]];
const GAP = 0.01;

function shape(name, attributes, words) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = words;
  return made;
}

const round = (value) => Math.round(value * 100) / 100;

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "rk rk-map";
  el.append(box);
  const cut = { fail: model.get("fail"), passing: model.get("passing") };
  let width = 0;

  const fate = (score) => (score >= cut.passing ? 2 : score < cut.fail ? 0 : 1);

  function move(name, value) {
    const [low, high] = name === "fail" ? [0, cut.passing - GAP] : [cut.fail + GAP, 1];
    cut[name] = round(Math.min(Math.max(value, low), high));
    paint();
  }

  function tell() {
    model.set("fail", cut.fail);
    model.set("passing", cut.passing);
    model.save_changes();
  }

  // what does not move with the lines is drawn once a size; paint() only colours and shifts
  let plane, x, toScore, dots, zones, counts, handles;

  function build() {
    const narrow = width < 560;
    const area = { left: narrow ? 14 : 116, right: 22, top: 58, bottom: 44, height: 340 };
    x = (value) => area.left + value * (width - area.left - area.right);
    const floor = area.height - area.bottom;
    const room = (floor - area.top) / 2;
    plane = shape("svg", { viewBox: `0 0 ${width} ${area.height}`, width, height: area.height });
    toScore = (pixel) => (pixel - area.left) / (width - area.left - area.right);

    zones = ZONES.map(([name, tone]) => {
      const ground = shape("rect", { class: `rk-zone rk-${tone}`, y: area.top, height: floor - area.top });
      const words = shape("text", { class: "rk-zone-name", y: 18, "text-anchor": "middle" }, name);
      plane.append(ground, words);
      return { ground, words };
    });
    for (let tick = 0; tick <= 10; tick += 2) {
      const at = x(tick / 10);
      plane.append(
        shape("line", { class: "rk-gridline", x1: at, x2: at, y1: area.top, y2: floor }),
        shape("text", { class: "rk-soft", x: at, y: floor + 19, "text-anchor": "middle" }, tick / 10),
      );
    }
    plane.append(shape("text", { class: "rk-title", x: x(0.5), y: area.height - 4, "text-anchor": "middle" }, "score"));

    dots = [];
    counts = LANES.map((lane, row) => {
      const middle = area.top + room * (row + 0.58);
      const label = narrow
        ? { class: "rk-soft", x: area.left + 4, y: area.top + room * row + 15 }
        : { x: area.left - 12, y: middle + 4, "text-anchor": "end" };
      plane.append(shape("text", label, lane));
      pile(model.get("points").filter((point) => Boolean(point[1]) === (row === 0)), middle, room, narrow);
      return ZONES.map(() => {
        const words = shape("text", { class: "rk-count", y: area.top + room * row + (narrow ? 32 : 18), "text-anchor": "middle" });
        plane.append(words);
        return words;
      });
    });
    handles = ["fail", "passing"].map((name) => handle(name, area, floor));
    box.replaceChildren(plane);
    paint();
  }

  function pile(points, middle, room, narrow) {
    const size = narrow ? 6.5 : 9;
    const piles = new Map();
    for (const point of points) {
      const place = Math.round(x(point[0]) / size);
      piles.set(place, [...(piles.get(place) ?? []), point]);
    }
    const tallest = Math.max(1, ...[...piles.values()].map((one) => one.length));
    const step = Math.min(size, (room - 36) / tallest);
    for (const one of piles.values()) {
      one.forEach(([score, relevant, label], at) => {
        const lift = Math.floor((at + 1) / 2) * (at % 2 ? -1 : 1) * step;
        const dot = shape("circle", { cx: x(score), cy: middle + lift, r: size * 0.44 });
        dot.append(shape("title", {}, `${label ? label + " · " : ""}score ${score.toFixed(2)}`));
        dots.push({ dot, score, hollow: relevant ? "" : " rk-hollow" });
        plane.append(dot);
      });
    }
  }

  function handle(name, area, floor) {
    const word = name === "fail" ? "fail" : "pass";
    const group = shape("g", { class: "rk-handle", tabindex: 0, role: "slider", "aria-label": `${word} threshold`, "aria-valuemin": 0, "aria-valuemax": 1 });
    const label = shape("text", { class: "rk-cut-name", y: area.top - 22, "text-anchor": "middle" });
    group.append(
      shape("rect", { class: "rk-grip", x: -22, width: 44, y: area.top - 40, height: floor - area.top + 40 }),
      shape("line", { class: "rk-cut", y1: area.top - 6, y2: floor }),
      shape("circle", { class: "rk-knob", cy: area.top - 8, r: 8 }),
      label,
    );
    plane.append(group);
    const score = (event) => toScore(event.clientX - plane.getBoundingClientRect().left);
    group.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      group.focus();
      group.setPointerCapture(event.pointerId);
      group.dragged = true;
    });
    group.addEventListener("pointermove", (event) => group.dragged && move(name, score(event)));
    for (const end of ["pointerup", "pointercancel"]) {
      group.addEventListener(end, () => {
        if (group.dragged) tell();
        group.dragged = false;
      });
    }
    group.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 0.05 : 0.01;
      const steps = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1 };
      if (!(event.key in steps)) return;
      event.preventDefault();
      event.stopPropagation();
      move(name, cut[name] + steps[event.key]);
      tell();
    });
    return { name, word, group, label };
  }

  function paint() {
    const edges = [0, cut.fail, cut.passing, 1].map(x);
    const middles = ZONES.map((_, at) => (edges[at] + edges[at + 1]) / 2);
    zones.forEach(({ ground, words }, at) => {
      ground.setAttribute("x", edges[at]);
      ground.setAttribute("width", Math.max(0, edges[at + 1] - edges[at]));
      words.setAttribute("x", middles[at]);
    });
    const tally = [[0, 0, 0], [0, 0, 0]];
    for (const { dot, score, hollow } of dots) {
      const zone = fate(score);
      tally[hollow ? 1 : 0][zone] += 1;
      dot.setAttribute("class", `rk-spot rk-${ZONES[zone][1]}${hollow}`);
    }
    counts.forEach((row, lane) => row.forEach((words, zone) => {
      words.textContent = tally[lane][zone];
      words.setAttribute("x", middles[zone]);
    }));
    for (const { name, word, group, label } of handles) {
      group.setAttribute("transform", `translate(${x(cut[name])},0)`);
      group.setAttribute("aria-valuenow", cut[name]);
      label.textContent = `${word} ${cut[name].toFixed(2)}`;
      const close = edges[2] - edges[1] < 80; // then the names stand back to back
      label.setAttribute("dx", !close ? 0 : name === "fail" ? -4 : 4);
      label.setAttribute("text-anchor", !close ? "middle" : name === "fail" ? "end" : "start");
    }
  }

  const heard = () => {
    cut.fail = model.get("fail");
    cut.passing = model.get("passing");
    if (plane) paint();
  };
  const rebuilt = () => width && build();
  model.on("change:fail change:passing", heard);
  model.on("change:points", rebuilt);
  const watcher = new ResizeObserver(([entry]) => {
    const now = Math.round(Math.min(entry.contentRect.width, 1060));
    if (now && now !== width) {
      width = now;
      build();
    }
  });
  watcher.observe(box);
  return () => {
    watcher.disconnect();
    model.off("change:fail change:passing", heard);
    model.off("change:points", rebuilt);
  };
}

export default { render };
