"use strict";
// A run from above: a lane for each thread, what it held and waited for as bars. What is drawn is always the part of the
// events that is in view; all of it is computed once.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  const count = data.thread.length;
  const HEAD = 20, ROW = 12, GAP = 6, NAMES = 130, LISTED = 200, OBJECTS = 500;
  const view = {from: 0, to: Math.max(count, 1), event: 0, object: 0, thread: -1};
  const kind = i => data.kinds[data.kind[i]];
  let sum = 0;
  const number = data.number.map(n => sum += n);

  function make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
      else e.setAttribute(key, value);
    e.append(...children.filter(c => c !== null && c !== undefined));
    return e;
  }

  const plural = (n, thing) => n.toLocaleString("en") + " " + thing + (n === 1 ? "" : "s");
  const objectName = o => o ? data.objects[o - 1] : "";
  const hue = o => (o * 137) % 360;

  // ---- what the events say ------------------------------------------------------------------

  const BEGINS = {"acquire": "held", "once-enter": "held", "request": "waited", "wait-enter": "waited", "arrive": "waited"};
  const ENDS = {"release": "held", "once-leave": "held", "wait-leave": "waited", "depart": "waited",
    "acquire": "waited", "sem-wait": "waited", "refused": "waited", "timeout": "waited"};
  const lanes = data.threads.map(() => ({runs: [], bars: [], rows: 1, open: []}));
  const about = data.objects.map(() => ({times: 0, waits: 0, longest: 0, threads: new Set()}));

  // A bar gets the first row that is free, so that locks held at once stand below each other.
  function open(lane, i, what) {
    const object = data.object[i];
    const same = lane.open.find(b => b && b.object === object && b.what === what);
    if (same) { same.depth++; return; }
    let row = lane.open.findIndex(b => !b);
    if (row < 0) row = lane.open.length;
    lane.open[row] = {what, object, from: i, to: -1, row, depth: 1, shared: (data.flags[i] & 1) > 0};
    lane.rows = Math.max(lane.rows, row + 1);
  }

  function close(lane, thread, row, i) {
    const bar = lane.open[row];
    lane.open[row] = null;
    bar.to = i;
    if (bar.what === "waited" && bar.to - bar.from < 2) return; // it did not wait
    lane.bars.push(bar);
    const o = about[bar.object - 1];
    if (!o) return;
    o.threads.add(thread);
    if (bar.what === "waited") { o.waits++; return; }
    o.times++;
    o.longest = Math.max(o.longest, bar.to - bar.from);
  }

  function read() {
    let last = -1;
    for (let i = 0; i < count; i++) {
      const thread = data.thread[i], lane = lanes[thread], name = kind(i);
      if (thread !== last) lane.runs.push({from: i, to: i + 1});
      else lane.runs[lane.runs.length - 1].to = i + 1;
      last = thread;
      const ends = ENDS[name];
      if (ends) {
        const row = lane.open.findIndex(b => b && b.what === ends && b.object === data.object[i]);
        if (row >= 0 && --lane.open[row].depth === 0) close(lane, thread, row, i);
      }
      if (BEGINS[name]) open(lane, i, BEGINS[name]);
    }
    lanes.forEach((lane, thread) => {
      lane.open.forEach((bar, row) => { if (bar) { bar.unended = true; close(lane, thread, row, count); } });
      lane.bars.sort((a, b) => a.from - b.from);
    });
  }

  // A thread without a name is called by the first function of the program that it is seen in.
  function nameThreads() {
    const seen = new Set();
    for (let i = 0; i < count && seen.size < data.threads.length; i++) {
      const thread = data.thread[i], words = data.sites[data.site[i]].split(" ");
      if (seen.has(thread) || words.length < 2) continue;
      seen.add(thread);
      if (!data.threads[thread].includes(" ")) data.threads[thread] += " " + words.slice(1).join(" ");
    }
  }

  function eventText(i) {
    const peer = data.peer[i] ? " " + data.threads[data.peer[i] - 1] : "";
    const object = data.object[i] ? " " + objectName(data.object[i]) : "";
    const flags = (data.flags[i] & 1 ? ", shared" : "") + (data.flags[i] & 2 ? ", failed" : "");
    return kind(i) + object + peer + flags;
  }

  // ---- drawing ------------------------------------------------------------------------------

  const canvas = make("canvas", {tabindex: "0", role: "img",
    "aria-label": "threads from top to bottom, events from left to right; the tables below say the same"});
  const said = make("p", {id: "said", "aria-live": "polite"});
  const extent = make("span", {class: "soft"});
  let tops = [];

  const colours = {}; // as the style sheet has them, read anew for each drawing
  const colour = name => colours[name];

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["--ink", "--soft", "--line", "--run", "--wait", "--mark"])
      colours[name] = style.getPropertyValue(name).trim();
  }

  function layout() {
    let y = HEAD;
    tops = lanes.map((lane, t) => {
      const top = y;
      if (view.thread < 0 || view.thread === t) y += ROW + 4 + lane.rows * (ROW + 2) + GAP;
      return top;
    });
    return y;
  }

  const width = () => Math.max(canvas.clientWidth - NAMES, 50);
  const xOf = i => NAMES + (i - view.from) / (view.to - view.from) * width();
  const eventAt = x => view.from + (x - NAMES) / width() * (view.to - view.from);

  // The first that ends behind `from`; what begins before it may end later, which only widens the search.
  function firstIn(list, from) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].to <= from) low = middle + 1; else high = middle;
    }
    return low;
  }

  function drawRuns(g, lane, y) {
    g.fillStyle = colour("--run");
    let last = -1;
    for (let i = firstIn(lane.runs, view.from); i < lane.runs.length && lane.runs[i].from < view.to; i++) {
      const a = Math.max(xOf(lane.runs[i].from), NAMES), b = Math.min(xOf(lane.runs[i].to), NAMES + width());
      if (b - last < 1) continue; // nothing new to see
      g.fillRect(Math.max(a, last), y, Math.max(b - Math.max(a, last), 1), ROW);
      last = Math.max(b, a + 1);
    }
  }

  function drawBar(g, bar, a, b, y, dark) {
    const faint = view.object && view.object !== bar.object;
    g.globalAlpha = faint ? 0.15 : 1;
    const fill = `hsl(${hue(bar.object)} 55% ${dark ? 42 : 72}%)`;
    if (bar.what === "held") {
      g.fillStyle = fill;
      g.fillRect(a, y, Math.max(b - a, 1), ROW);
      if (bar.shared) { g.clearRect(a, y + ROW / 2 - 1, Math.max(b - a, 1), 2); }
    } else {
      g.strokeStyle = colour("--wait");
      g.setLineDash([3, 2]);
      g.strokeRect(a + .5, y + .5, Math.max(b - a - 1, 1), ROW - 1);
      g.setLineDash([]);
    }
    if (b - a > 40) {
      g.save();
      g.beginPath(); g.rect(a, y, b - a, ROW); g.clip();
      g.fillStyle = colour("--ink");
      g.fillText((bar.what === "held" ? "" : "waits: ") + objectName(bar.object), a + 3, y + ROW - 2);
      g.restore();
    }
    g.globalAlpha = 1;
  }

  function drawBars(g, lane, y, dark) {
    const last = [];
    for (const bar of lane.bars) {
      if (bar.from >= view.to) break;
      if (bar.to <= view.from) continue;
      const a = Math.max(xOf(bar.from), NAMES), b = Math.min(xOf(bar.to), NAMES + width());
      if (b - (last[bar.row] ?? -9) < 1) continue;
      last[bar.row] = b;
      drawBar(g, bar, a, b, y + bar.row * (ROW + 2), dark);
    }
  }

  function draw() {
    const height = layout(), ratio = window.devicePixelRatio || 1;
    canvas.style.height = height + "px";
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = height * ratio;
    const g = canvas.getContext("2d"), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    g.scale(ratio, ratio);
    readColours();
    g.font = "10px system-ui, sans-serif";
    lanes.forEach((lane, t) => {
      if (view.thread >= 0 && view.thread !== t) return;
      g.fillStyle = colour("--ink");
      g.font = "12px system-ui, sans-serif";
      g.save();
      g.beginPath(); g.rect(0, tops[t], NAMES - 6, 40); g.clip();
      g.fillText(data.threads[t], 6, tops[t] + ROW - 1);
      g.restore();
      g.font = "10px system-ui, sans-serif";
      drawRuns(g, lane, tops[t]);
      drawBars(g, lane, tops[t] + ROW + 4, dark);
      g.fillStyle = colour("--line");
      g.fillRect(0, tops[t] - GAP / 2, canvas.clientWidth, 1);
    });
    g.fillStyle = colour("--soft");
    if (count) {
      const left = number[Math.max(Math.floor(view.from), 0)], right = number[Math.min(Math.ceil(view.to), count) - 1];
      g.fillText("event " + left.toLocaleString("en"), NAMES, 13);
      const text = right.toLocaleString("en");
      g.fillText(text, NAMES + width() - g.measureText(text).width - 4, 13);
      if (view.event >= view.from && view.event < view.to) {
        g.fillStyle = colour("--mark");
        g.fillRect(xOf(view.event + .5) - 1, HEAD - 4, 2, height - HEAD + 4);
      }
    }
    extent.textContent = plural(Math.round(view.to - view.from), "event") + " in view";
  }

  // ---- moving -------------------------------------------------------------------------------

  function show(from, to) {
    const least = Math.min(8, Math.max(count, 1));
    const span = Math.min(Math.max(to - from, least), Math.max(count, 1));
    view.from = Math.min(Math.max(from, 0), Math.max(count, 1) - span);
    view.to = view.from + span;
    draw();
  }

  function zoom(factor, around) {
    const at = around ?? (view.event >= view.from && view.event < view.to ? view.event : (view.from + view.to) / 2);
    show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  }

  function pan(part) {
    const by = (view.to - view.from) * part;
    show(view.from + by, view.to + by);
  }

  function pick(i) {
    if (!count) return;
    view.event = Math.min(Math.max(i, 0), count - 1);
    const span = view.to - view.from;
    if (view.event < view.from || view.event >= view.to) show(view.event - span / 2, view.event + span / 2); else draw();
    say(view.event);
    list();
  }

  function say(i) {
    const holds = lanes[data.thread[i]].bars.filter(b => b.from <= i && i < b.to)
      .map(b => (b.what === "held" ? "holds " : "waits for ") + objectName(b.object));
    said.textContent = number[i] + "  " + data.threads[data.thread[i]] + "  " + eventText(i) + "  " +
      data.sites[data.site[i]] + (holds.length ? "  [" + holds.join(", ") + "]" : "");
  }

  function step(by) {
    let i = view.event + by;
    const wanted = j => (!view.object || data.object[j] === view.object) && (view.thread < 0 || data.thread[j] === view.thread);
    while (i >= 0 && i < count && !wanted(i)) i += by;
    if (i >= 0 && i < count) pick(i);
  }

  function stepSwitch(by) {
    let i = view.event + by;
    while (i > 0 && i < count && data.thread[i] === data.thread[i - 1]) i += by;
    if (i >= 0 && i < count) pick(i);
  }

  // ---- tables -------------------------------------------------------------------------------

  const events = make("tbody"), objects = make("tbody"), objectsNote = make("p", {class: "soft"});

  function list() {
    const rows = [], half = LISTED / 2;
    for (let i = Math.max(view.event - half, 0); i < Math.min(view.event + half, count); i++)
      rows.push(make("tr", {tabindex: "0", class: i === view.event ? "now" : "", onclick: () => pick(i)},
        make("td", {class: "number"}, String(number[i])), make("td", {}, data.threads[data.thread[i]]),
        make("td", {}, eventText(i)), make("td", {}, data.sites[data.site[i]])));
    events.replaceChildren(...rows);
    const now = events.querySelector(".now"), box = events.closest(".scroll");
    if (now && box) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }

  function listObjects() {
    const met = about.map((o, i) => ({...o, i: i + 1})).filter(o => o.times || o.waits)
      .sort((a, b) => b.waits - a.waits || b.times - a.times || a.i - b.i);
    objects.replaceChildren(...met.slice(0, OBJECTS).map(o => make("tr", {tabindex: "0", class: o.i === view.object ? "now" : "",
      onclick: () => choose(o.i), onkeydown: e => { if (e.key === "Enter") choose(o.i); }},
      make("td", {}, swatch(o.i), objectName(o.i)),
      make("td", {class: "number"}, String(o.times)), make("td", {class: "number"}, String(o.waits)),
      make("td", {class: "number"}, String(o.longest)),
      make("td", {}, [...o.threads].map(t => data.threads[t]).slice(0, 8).join(", ") + (o.threads.size > 8 ? ", ..." : "")))));
    objectsNote.textContent = met.length > OBJECTS ? "The first " + OBJECTS + " of " + met.length + "." : met.length ? "" : "Nothing was held.";
  }

  function swatch(o) {
    const e = make("span", {class: "swatch"});
    e.style.background = `hsl(${hue(o)} 55% 60%)`;
    return e;
  }

  function choose(object) {
    view.object = view.object === object ? 0 : object;
    listObjects();
    draw();
  }

  // ---- the page -----------------------------------------------------------------------------

  const button = (text, title, does) => make("button", {title, onclick: does}, text);
  const threads = make("select", {"aria-label": "thread", onchange: e => { view.thread = Number(e.target.value); draw(); }},
    make("option", {value: "-1"}, "all threads"), ...data.threads.map((name, t) => make("option", {value: String(t)}, name)));

  function onKey(e) {
    if (e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
    const does = {"ArrowLeft": () => pan(-.25), "ArrowRight": () => pan(.25), "+": () => zoom(.5), "=": () => zoom(.5),
      "-": () => zoom(2), "0": () => show(0, count), "j": () => step(1), "k": () => step(-1),
      "n": () => stepSwitch(1), "p": () => stepSwitch(-1), "Home": () => pick(0), "End": () => pick(count - 1)}[e.key];
    if (does) { e.preventDefault(); does(); }
  }

  let dragged = null;
  canvas.addEventListener("pointerdown", e => { dragged = {x: e.offsetX, from: view.from, moved: false}; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", e => {
    if (!dragged) return;
    const by = (dragged.x - e.offsetX) / width() * (view.to - view.from);
    dragged.moved = dragged.moved || Math.abs(dragged.x - e.offsetX) > 3;
    if (dragged.moved) show(dragged.from + by, dragged.from + by + (view.to - view.from));
  });
  canvas.addEventListener("pointerup", e => {
    if (dragged && !dragged.moved) pick(Math.floor(eventAt(e.offsetX)));
    dragged = null;
  });
  canvas.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.shiftKey) return; // the page scrolls
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.25 : .8, eventAt(e.offsetX));
  }, {passive: false});

  nameThreads();
  read();
  page.append(
    make("h1", {}, "A run from above"),
    make("p", {class: "soft"}, data.title + ": " + plural(count, "event") + (count < data.events ? " of " + data.events.toLocaleString("en") : "") +
      ", " + plural(data.threads.length, "thread") + (data.cut ? "; its end was not written" : "")),
    make("div", {class: "bar"}, button("\u2212", "less detail (-)", () => zoom(2)), button("+", "more detail (+)", () => zoom(.5)),
      button("all", "the whole run (0)", () => show(0, count)), button("\u25c0", "the switch before (p)", () => stepSwitch(-1)),
      button("\u25b6", "the next switch (n)", () => stepSwitch(1)), threads, extent),
    make("div", {class: "lanes"}, canvas), said,
    make("p", {class: "soft"}, "Grey: the thread runs. Filled bars: it holds something, with a gap in the middle for reading only; " +
      "dashed: it waits. Click for an event, drag or \u2190 \u2192 to move, + \u2212 or the wheel with Ctrl to zoom, j and k to the next and last event, " +
      "n and p to the next and last switch."),
    make("div", {class: "tables"},
      make("div", {}, make("h2", {}, "What was held, and waited for"), objectsNote,
        make("div", {class: "scroll"}, make("table", {}, make("thead", {}, make("tr", {}, ...["what", "held", "waits", "longest, in events", "by"]
          .map(t => make("th", {scope: "col"}, t)))), objects))),
      make("div", {}, make("h2", {}, "Events around the mark"),
        make("div", {class: "scroll"}, make("table", {}, make("thead", {}, make("tr", {}, ...["#", "thread", "event", "where"]
          .map(t => make("th", {scope: "col"}, t)))), events)))));
  document.addEventListener("keydown", onKey);
  new ResizeObserver(draw).observe(canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  listObjects();
  draw();
  if (count) { say(0); list(); }
  window.heddle = {view, lanes}; // for tests
})();
