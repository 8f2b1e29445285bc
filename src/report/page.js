"use strict";
// The page: findings as cards; the open one shows its schedule, walked with the keyboard.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 50; // findings shown at once
  const state = {open: -1, step: 0, shown: PAGE, all: false, pattern: "", words: "",
    file: "", thread: ""};
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

  // What is told under another finding has a line there, and no card.
  const byId = new Map(data.findings.map(f => [f.id, f]));
  const isVariant = f => f.cause && byId.get(f.cause)?.shown;
  const variants = f => data.findings.filter(v => v.cause === f.id && v.shown);
  const visible = () => data.findings.filter(f => state.all || ((f.shown || f.fixes) && !isVariant(f)));
  const base = file => file.split("/").pop();
  const filesOf = f => new Set(f.steps.map(s => base(ownPlace(s).file)));
  const threadsOf = f => new Set(f.steps.map(s => f.threads[s.thread].entry || f.threads[s.thread].name));
  const list = () => visible().filter(f => (!state.pattern || f.pattern === state.pattern) &&
    (!state.file || filesOf(f).has(state.file)) && (!state.thread || threadsOf(f).has(state.thread)) &&
    state.words.toLowerCase().split(" ").every(w => textOf(f).includes(w)));
  // Where the user would look: the step's own place, or a caller's.
  function ownPlace(s) {
    return s.own && s.stack ? s.stack[s.own - 1] : s;
  }

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
        row.append(make("td", {class: "step"}, base(ownPlace(s).file) + ":" + ownPlace(s).line + " " + stepText(s),
          s.held ? make("span", {class: "held"}, "  [" + s.held + "]") : null));
      }
      return row;
    });
    return {rows, element: make("div", {class: "scroll"},
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)))};
  }

  // A bar from where a lock is first held to the step at which it no longer is, with its name.
  function drawLocks(svg, f, thread, y, x) {
    const since = new Map();
    const close = (lock, from, to) => {
      const width = Math.max(12, x(to) - x(from));
      svg.append(draw("rect", {class: "lock", x: x(from) - 6, y: y - 8, width, height: 16}));
      const room = Math.floor((width - 8) / 6.5);
      if (room > 2) svg.append(draw("text", {class: "lockname", x: x(from) + 8, y: y + 18}, lock.slice(0, room)));
    };
    f.steps.forEach((s, i) => {
      if (s.thread !== thread) return;
      if (s.action.endsWith("lock") && s.action !== "unlock" && !since.has(s.object)) since.set(s.object, i);
      const held = new Set(s.held ? s.held.split(", ") : []); // known at key steps
      for (const lock of held) if (!since.has(lock)) since.set(lock, i);
      for (const [lock, from] of since)
        if ((s.key && !held.has(lock)) || (s.action === "unlock" && s.object === lock)) {
          close(lock, from, i);
          since.delete(lock);
        }
    });
    for (const [lock, from] of since) close(lock, from, f.steps.length - 1);
  }

  // As wide as the table; a lane for each thread, a dot for each step.
  function timeline(f, onPick) {
    const threads = lanes(f), gap = 44, box = make("div", {class: "timeline"});
    const line = {dots: [], element: box, now: 0};
    line.draw = () => {
      const width = Math.max(280, box.clientWidth || 900), left = Math.min(190, Math.floor(width / 4));
      const x = i => left + 14 + i * (width - left - 28) / Math.max(1, f.steps.length - 1);
      const svg = draw("svg", {viewBox: `0 0 ${width} ${gap * threads.length + 8}`, width, role: "img",
        "aria-label": "timeline of threads; shaded: locks held"});
      threads.forEach((t, lane) => {
        const y = 18 + lane * gap;
        svg.append(draw("text", {x: 0, y: y + 4}, f.threads[t].name.slice(0, Math.floor(left / 7))));
        svg.append(draw("line", {class: "lane", x1: left, y1: y, x2: width - 8, y2: y}));
        drawLocks(svg, f, t, y, x);
      });
      line.dots = f.steps.map((s, i) => {
        const dot = draw("circle", {class: "step" + (s.key ? " key" : ""), r: s.key ? 6 : 4, cx: x(i),
          cy: 18 + threads.indexOf(s.thread) * gap});
        dot.append(draw("title", {}, `${i + 1}: ${f.threads[s.thread].name}: ${stepText(s)}`));
        dot.addEventListener("click", () => onPick(i));
        svg.append(dot);
        return dot;
      });
      box.replaceChildren(svg);
      line.show(line.now);
    };
    line.show = now => {
      line.now = now;
      line.dots.forEach((dot, k) => dot.classList.toggle("now", k === now));
    };
    return line;
  }

  function showLines(box, place) {
    box.replaceChildren();
    const lines = data.excerpts[place.file];
    if (!lines || !place.line) { box.append(place.file + ":" + (place.line || place.lines || "?") + " (source not found)"); return; }
    for (let n = place.line - 3; n <= place.line + 3; n++) {
      if (lines[n] === undefined) continue;
      box.append(make("span", {class: n === place.line ? "here" : ""},
        String(n).padStart(5) + "  " + lines[n]), "\n");
    }
  }

  // A step with its source, and the calls that led there: each shows its own lines when it is chosen.
  function panel(f, i, onPick) {
    const s = f.steps[i], thread = f.threads[s.thread];
    const box = make("div", {class: "excerpt"});
    const frames = [s, ...(s.stack || [])];
    const where = p => base(p.file) + ":" + (p.line || p.lines || "?");
    const buttons = frames.map((p, k) => make("button", {class: "frame", onclick: event => {
      event.stopPropagation();
      choose(k);
    }}, p.function + " ", make("span", {class: "soft"}, where(p))));
    const choose = k => {
      buttons.forEach((b, n) => b.setAttribute("aria-pressed", String(n === k)));
      showLines(box, frames[k]);
    };
    choose(s.own || 0);
    return make("div", {class: "panel", onclick: () => onPick(i)},
      make("h3", {}, `${i + 1}. ${thread.name}: ${stepText(s)}`,
        s.held ? make("span", {class: "held"}, "  [" + s.held + "]") : null), box,
      make("div", {class: "stack"}, ...buttons,
        thread.file ? make("span", {class: "soft"}, `made at ${base(thread.file)}:${thread.line}`) : null));
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
    const choose = i => pick(card, i);
    const grid = table(f, choose), line = timeline(f, choose);
    const keys = f.steps.map((s, i) => i).filter(i => f.steps[i].key).slice(0, 4)
      .sort((a, b) => f.steps[a].thread - f.steps[b].thread || a - b); // as the table's columns
    const panels = keys.map(i => panel(f, i, choose)), other = make("div", {"aria-live": "polite"});
    card.pick = (i, quietly) => {
      grid.rows.forEach((row, k) => row.classList.toggle("now", k === i));
      line.show(i);
      panels.forEach((p, k) => p.classList.toggle("now", keys[k] === i));
      other.replaceChildren(f.steps[i] && !keys.includes(i) ? panel(f, i, () => {}) : "");
      if (grid.rows[i] && !quietly) grid.rows[i].scrollIntoView({block: "nearest"});
    };
    card.draw = line.draw;
    const steps = f.steps.length > 0, fixes = f.fixes || [], also = variants(f);
    return make("div", {}, steps ? line.element : null,
      make("div", {class: fixes.length ? "pair" : ""},
        make("div", {}, steps ? grid.element : null,
          make("div", {class: "panels"}, ...panels), other),
        fixes.length ? make("div", {}, ...fixes.map(patch)) : null),
      ...[["ends", f.ends], ["said", (f.said || []).join("; ")], ["why", f.why], ["meant", f.source], ["passes", f.passes],
        ...(f.weak || []).flatMap(w => [["~", "T" + w.thread + "  " + w.file.replace(/.*\//, "") + ":" + w.line + "  " + w.text],
          ["allowed", w.allowed + (w.forbid ? ".  Would forbid it: " + w.forbid : "")]]),
        ["weak", f.x86 === undefined ? "" : f.x86 ? "also on x86"
          : "only on ARM, POWER, RISC-V, or if the compiler reorders"],
        ["values", f.values ? f.values + ": " + f.effect : ""],
        ["doubt", f.doubt]].map(note => detail(f, note)),
      also.length ? make("div", {}, make("h3", {}, "Of the same cause"),
        ...also.map(v => make("p", {id: v.id}, badge(v), v.message, " ", make("code", {class: "soft"}, v.id)))) : null,
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
    card.draw?.();
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
    const place = f.sites[0], where = place && place.file ? `${place.file}:${place.line}` : "";
    const at = f.message.indexOf(": "), isPlace = where && f.message.startsWith(where) && at > 0;
    const sentence = isPlace ? f.message.slice(at + 2) : f.message;
    card.toggle = make("button", {class: "title", "aria-expanded": "false"}, sentence);
    card.element = make("section", {class: "finding", id: f.id},
      make("header", {onclick: () => open(index)}, make("h2", {}, card.toggle),
        make("p", {class: "soft"}, badge(f), where ? make("code", {}, where) : null, "  ",
          make("code", {class: "id"}, f.id),
          f.alike ? `  ${f.alike} more of the same cause` : null,
          variants(f).length ? `  ${count(variants(f).length, "other")} of the same cause` : null)),
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

  // By file and by what threads begin with, if there is a choice.
  function selects() {
    const select = (key, label, of) => {
      const names = [...new Set(visible().flatMap(f => [...of(f)]))].filter(Boolean).sort();
      if (names.length < 2) return null;
      const box = make("select", {"aria-label": label, id: key, onchange: event => {
        state[key] = event.target.value;
        state.shown = PAGE;
        showFound(false);
      }}, make("option", {value: ""}, "every " + label),
        ...names.map(name => make("option", {value: name}, name)));
      box.value = state[key];
      return box;
    };
    return [select("file", "file", filesOf), select("thread", "thread", threadsOf)].filter(Boolean);
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
      legend(), searchBox() || "", make("div", {class: "choices"}, ...selects()), make("div", {id: "choices"}),
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
    state.pattern = state.file = state.thread = "";
    show();
  }

  // A link to a finding leads there, wherever it stands.
  function goTo(id) {
    const named = byId.get(id), wanted = named && isVariant(named) && !state.all ? byId.get(named.cause) : named;
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

  addEventListener("resize", () => cards[state.open]?.draw?.());
  show();
  goTo(location.hash.slice(1));
  addEventListener("hashchange", () => goTo(location.hash.slice(1)));
})();
