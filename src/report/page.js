"use strict";
// The page: findings as cards; the open one shows its schedule, walked with the keyboard.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 50; // findings shown at once
  const state = {open: -1, step: 0, shown: PAGE, all: false, pattern: "", words: ""};
  const cards = [];

  function make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
      else e.setAttribute(key, value);
    for (const child of children)
      if (child !== null && child !== undefined) e.append(child);
    return e;
  }

  function draw(tag, attributes, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text) e.textContent = text;
    return e;
  }

  const count = (n, thing) => n + " " + thing + (n === 1 ? "" : "s");

  // What the search looks at: everything that a person would have in mind.
  function textOf(f) {
    f.text ??= [f.id, f.pattern, f.verdict, f.harm, f.message,
      ...f.steps.map(s => s.file + ":" + s.line + " " + s.function + " " + s.object)].join(" ").toLowerCase();
    return f.text;
  }

  const visible = () => data.findings.filter(f => state.all || f.shown || f.fixes);
  const list = () => visible().filter(f => (!state.pattern || f.pattern === state.pattern) &&
    state.words.toLowerCase().split(" ").every(w => textOf(f).includes(w)));
  const lanes = f => [...new Set(f.steps.map(s => s.thread))];

  function badge(f) {
    const harm = f.harm && f.harm !== "none" ? f.harm : "";
    const kind = f.verdict === "confirmed" ? (harm ? "bad" : "warn") : "good";
    return make("span", {class: "badge " + kind}, f.verdict + (harm ? ", harm: " + harm : ""));
  }

  function stepText(s) {
    return s.action + (s.object ? " " + s.object : "") + (s.value ? " = " + s.value : "");
  }

  function table(f, onPick) {
    const threads = lanes(f);
    const head = make("tr", {}, make("th", {}, "#"),
      ...threads.map(t => make("th", {scope: "col"}, f.threads[t].name)));
    const rows = f.steps.map((s, i) => {
      const row = make("tr", {class: s.key ? "key" : "", tabindex: "0", onclick: () => onPick(i),
        onfocus: () => onPick(i)}, make("td", {class: "number"}, String(i + 1)));
      for (const t of threads) {
        if (t !== s.thread) { row.append(make("td", {})); continue; }
        row.append(make("td", {class: "step"}, s.file.split("/").pop() + ":" + s.line + " " + stepText(s),
          s.held ? make("span", {class: "held"}, "  [" + s.held + "]") : null));
      }
      return row;
    });
    return {rows, element: make("div", {class: "scroll"},
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)))};
  }

  function drawLocks(svg, f, thread, y, x) {
    const since = new Map();
    const close = (lock, from, to) => svg.append(draw("rect", {class: "lock", x: x(from) - 6,
      y: y - 8, width: Math.max(12, x(to) - x(from)), height: 16}));
    f.steps.forEach((s, i) => {
      if (s.thread !== thread) return;
      const held = new Set(s.held ? s.held.split(", ") : []);
      for (const lock of held) if (!since.has(lock)) since.set(lock, i);
      for (const [lock, from] of since)
        if (!held.has(lock)) { close(lock, from, i); since.delete(lock); }
    });
    for (const [lock, from] of since) close(lock, from, f.steps.length - 1);
  }

  function timeline(f) {
    const threads = lanes(f), left = 110, gap = 34;
    const width = Math.max(320, left + 24 * f.steps.length + 20);
    const svg = draw("svg", {viewBox: `0 0 ${width} ${gap * threads.length + 16}`, role: "img",
      "aria-label": "timeline of threads; shaded: locks held", width});
    const x = i => left + 12 + i * 24, dots = [];
    threads.forEach((t, lane) => {
      const y = 20 + lane * gap;
      svg.append(draw("text", {x: 0, y: y + 4}, f.threads[t].name.slice(0, 16)));
      svg.append(draw("line", {class: "lane", x1: left, y1: y, x2: width - 8, y2: y}));
      drawLocks(svg, f, t, y, x);
    });
    f.steps.forEach((s, i) => {
      const dot = draw("circle", {class: "step" + (s.key ? " key" : ""), r: 5, cx: x(i),
        cy: 20 + threads.indexOf(s.thread) * gap});
      dots.push(dot);
      svg.append(dot);
    });
    return {dots, element: make("div", {class: "scroll"}, svg)};
  }

  function showExcerpt(box, s) {
    box.replaceChildren();
    const lines = data.excerpts[s.file];
    if (!lines) { box.append(s.file + ":" + s.line + " (source not found)"); return; }
    for (let n = s.line - 3; n <= s.line + 3; n++) {
      if (lines[n] === undefined) continue;
      box.append(make("span", {class: n === s.line ? "here" : ""},
        String(n).padStart(5) + "  " + lines[n]), "\n");
    }
  }

  function detail(f, note) {
    return note[1] ? make("p", {}, make("b", {}, note[0] + " "), note[1]) : null;
  }

  // The patch as a diff, with what was done to believe it.
  function patch(x) {
    const kinds = {"+": "add", "-": "cut", "@": "at"};
    const lines = x.diff.replace(/\n$/, "").split("\n");
    return make("div", {class: "patch"}, make("h3", {}, `${x.state} patch: ${x.recipe}`),
      make("pre", {class: "diff", tabindex: "0", "aria-label": "diff"}, ...lines.flatMap(line =>
        [make("span", {class: kinds[line[0]] || "same"}, line), "\n"])),
      make("p", {}, x.why),
      make("ul", {class: "soft"}, ...x.proof.map(line => make("li", {}, line))));
  }

  function body(f, card) {
    const excerpt = make("div", {class: "excerpt", "aria-live": "polite"});
    const grid = table(f, i => pick(card, i)), line = timeline(f);
    card.pick = (i, quietly) => {
      grid.rows.forEach((row, k) => row.classList.toggle("now", k === i));
      line.dots.forEach((dot, k) => dot.classList.toggle("now", k === i));
      if (f.steps[i]) showExcerpt(excerpt, f.steps[i]);
      if (grid.rows[i] && !quietly) grid.rows[i].scrollIntoView({block: "nearest"});
    };
    const steps = f.steps.length > 0;
    const fixes = f.fixes || [];
    return make("div", {}, steps ? line.element : null,
      make("div", {class: fixes.length ? "pair" : ""},
        make("div", {}, steps ? grid.element : null, steps ? excerpt : null),
        fixes.length ? make("div", {}, ...fixes.map(patch)) : null),
      ...[["ends", f.ends], ["why", f.why], ["meant", f.source], ["passes", f.passes],
        ...(f.weak || []).flatMap(w => [["~", "T" + w.thread + "  " + w.file.replace(/.*\//, "") + ":" + w.line + "  " + w.text],
          ["allowed", w.allowed + (w.forbid ? ".  Would forbid it: " + w.forbid : "")]]),
        ["weak", f.x86 === undefined ? "" : f.x86 ? "also on x86"
          : "only on ARM, POWER, RISC-V, or if the compiler reorders"],
        ["values", f.values ? f.values + ": " + f.effect : ""],
        ["doubt", f.doubt]].map(note => detail(f, note)),
      f.replay ? make("pre", {class: "command"}, f.replay) : null,
      f.fix ? make("pre", {class: "command"}, f.fix) : null);
  }

  function pick(card, step, quietly) {
    if (card.index !== state.open || !card.pick) return;
    state.step = Math.max(0, Math.min(step, card.finding.steps.length - 1));
    card.pick(state.step, quietly);
  }

  function open(index, quietly) {
    if (state.open >= 0 && cards[state.open]) {
      cards[state.open].body.replaceChildren();
      cards[state.open].element.classList.remove("open");
      cards[state.open].toggle.setAttribute("aria-expanded", "false");
    }
    state.open = index === state.open ? -1 : index;
    const card = cards[state.open];
    if (!card) return;
    card.body.append(body(card.finding, card));
    card.element.classList.add("open");
    card.toggle.setAttribute("aria-expanded", "true");
    if (!quietly) history.replaceState(null, "", "#" + card.finding.id);
    pick(card, Math.max(0, card.finding.steps.findIndex(s => s.key)), quietly);
    if (quietly) return;
    card.toggle.focus({preventScroll: true});
    card.element.scrollIntoView({block: "nearest"});
  }

  function addCard(f, index) {
    const card = {finding: f, index, body: make("div", {})};
    card.toggle = make("button", {"aria-expanded": "false"}, f.id);
    card.element = make("section", {class: "finding", id: f.id},
      make("header", {onclick: () => open(index)}, make("h2", {}, card.toggle, " ", badge(f)),
        make("p", {}, f.message),
        f.alike ? make("p", {class: "soft"}, f.alike + " more of the same cause") : null),
      card.body);
    cards.push(card);
    return card.element;
  }

  function funnel() {
    const columns = ["pattern", "candidates", "refuted", "found", "unknown", "confirmed"];
    return make("div", {class: "scroll"}, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(c => make("th", {scope: "col"}, c)))),
      make("tbody", {}, ...data.accounts.map(a =>
        make("tr", {}, ...columns.map(c => make("td", {}, String(a[c]))))))));
  }

  // One button for each pattern that was found, if there is a choice.
  function patterns() {
    const counts = new Map();
    for (const f of visible()) counts.set(f.pattern, (counts.get(f.pattern) || 0) + 1);
    if (counts.size < 2) return null;
    const choice = (pattern, text) => make("button", {"aria-pressed": String(state.pattern === pattern),
      onclick: () => { state.pattern = pattern; showFound(true); }}, text);
    return make("div", {class: "choices", role: "group", "aria-label": "patterns"},
      choice("", "all " + visible().length),
      ...[...counts].map(([pattern, n]) => choice(pattern, pattern + " " + n)));
  }

  function searchBox() {
    if (visible().length < 5) return null;
    return make("input", {type: "search", id: "search", value: state.words, "aria-label": "search",
      placeholder: "search: a file, function, variable, pattern",
      oninput: event => { state.words = event.target.value; state.shown = PAGE; showFound(false); }});
  }

  function legend() {
    return make("p", {class: "soft"}, make("kbd", {}, "n"), " ", make("kbd", {}, "p"), " finding   ",
      make("kbd", {}, "j"), " ", make("kbd", {}, "k"), " or arrows: step   ",
      make("kbd", {}, "a"), " all   ", make("kbd", {}, "/"), " search   ",
      make("span", {class: "sample key"}, "what it is about"), "   ",
      make("span", {class: "held"}, "[locks held]"));
  }

  function more(found) {
    return make("button", {onclick: () => { state.shown += PAGE; showFound(false); }},
      `next ${Math.min(PAGE, found.length - state.shown)} of ${found.length}`);
  }

  // The part that a choice or a search changes. The search box stays: somebody types in it.
  function showFound(anew) {
    const found = list(), opened = cards[state.open]?.finding;
    if (anew) {
      state.shown = PAGE;
      scrollTo(0, 0);
    }
    cards.length = 0;
    state.open = -1;
    document.getElementById("choices").replaceChildren(patterns() || "");
    document.getElementById("found").replaceChildren(
      found.length ? "" : make("p", {class: "soft"}, visible().length
        ? "nothing here has these words" : "nothing was found"),
      ...found.slice(0, state.shown).map(addCard),
      found.length > state.shown ? more(found) : "");
    const again = found.indexOf(opened);
    if (found.length) open(again >= 0 && again < state.shown ? again : 0, true);
  }

  function show() {
    const page = document.getElementById("page");
    const hidden = data.findings.length - data.findings.filter(f => f.shown || f.fixes).length;
    document.title = `${count(visible().length, "finding")} in ${data.program} - Heddle`;
    page.replaceChildren(
      make("h1", {}, "Heddle: " + data.program),
      make("p", {class: "soft"}, count(visible().length, "finding") + "; " + (data.events
        ? `the recorded run: ${data.outcome}; ${count(data.events, "event")} of ${count(data.threads, "thread")}`
        : `the runs that failed: ${data.outcome}`)),
      legend(), searchBox() || "", make("div", {id: "choices"}),
      hidden ? make("button", {onclick: toggleAll}, state.all ? "only what is shown by default"
        : `show ${hidden} more: no harm, not confirmed, or of the same cause`) : "",
      make("div", {id: "found"}),
      ...(data.accounts.length ? [make("h3", {}, "What was decided"), funnel()] : []),
      ...data.stopped_early ? [make("p", {class: "badge warn"}, "stopped early: "
        + (data.stopped_by === "time" ? `the ${Math.ceil(data.budget_ms / 1000)} s of time were spent (--time): `
          : data.stopped_by === "memory" ? `the ${data.memory_mb} MB of memory were used (--memory): ` : "")
        + "not everything was looked at")] : [],
      ...(data.not_done || []).map(u => make("p", {class: "soft"},
        `${u.stage}: ${u.left} of ${u.total} ${u.what} not done` + (u.next ? `; next: ${u.next}` : ""))),
      ...data.unseen.map(u => make("p", {class: "soft"}, "not looked at: " + u)),
      ...(data.idle || []).length ? [make("p", {class: "soft"},
        "no access in these functions was recorded: " + data.idle.join(", "))] : [],
      make("footer", {}, "Heddle " + data.heddle));
    showFound(false);
  }

  function toggleAll() {
    state.all = !state.all;
    state.pattern = "";
    show();
  }

  // A link to a finding leads there, wherever it stands.
  function goTo(id) {
    const wanted = data.findings.find(f => f.id === id);
    if (!wanted) return;
    if (!wanted.shown && !state.all) toggleAll();
    const index = list().indexOf(wanted);
    if (index < 0) return;
    if (index >= state.shown) { state.shown = index + PAGE; showFound(false); }
    if (index !== state.open) open(index);
    cards[index].element.scrollIntoView();
  }

  function next() {
    const found = list();
    if (state.open + 1 >= cards.length && cards.length < found.length) {
      state.shown += PAGE;
      showFound(false);
    }
    if (state.open + 1 < cards.length) open(state.open + 1);
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.id === "search" && event.key !== "Escape") return;
    const card = cards[state.open];
    const moves = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1};
    if (moves[event.key] && card) pick(card, state.step + moves[event.key]);
    else if (event.key === "Home" && card) pick(card, 0);
    else if (event.key === "End" && card) pick(card, card.finding.steps.length - 1);
    else if (event.key === "n") next();
    else if (event.key === "/") document.getElementById("search")?.focus();
    else if (event.key === "Escape") document.activeElement.blur();
    else if (event.key === "p" && state.open > 0) open(state.open - 1);
    else if (event.key === "a") toggleAll();
    else return;
    event.preventDefault();
  });

  show();
  goTo(location.hash.slice(1));
  addEventListener("hashchange", () => goTo(location.hash.slice(1)));
})();
