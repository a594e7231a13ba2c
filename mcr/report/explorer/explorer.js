"use strict";
// Goes from state to state on a graph that mcr has computed, and writes down what was chosen as a replay file.
(() => {
const explore = (data) => {
  const byId = (id) => document.getElementById(id);
  const lines = new Map([...document.querySelectorAll("[data-line]")].map((line) => [line.dataset.line, line]));
  const START = /^(start|end) of thread /;
  let path = []; // of what was chosen: {move, before, after}
  let here = 0;

  const element = (tag, name = "", ...inside) => {
    const node = document.createElement(tag);
    node.className = name;
    node.append(...inside);
    return node;
  };

  // -- what happens ----------------------------------------------------------

  const placeText = (line) => {
    const found = /^.*:(\d+):[^:]*$/.exec(line || "");
    return found ? `line ${found[1]}` : "";
  };

  const threadName = (number) => {
    const { name, title, final } = data.threads[number];
    return final ? "the final function" : `thread ${name}${title ? `: ${title}` : ""}`;
  };

  const holder = (owner) => {
    const number = data.threads.findIndex(({ name }) => `'${name}'` === owner);
    return number < 0 ? "free" : `held by ${threadName(number).replace(/:.*/, "")}`;
  };

  const store = (location, value) => `${data.locations[location][0]} = ${data.values[value]}`;

  const moveText = ([thread, kind, , what, value]) => {
    if (kind === "commit") return `${store(what, value)} reaches memory`;
    if (kind === "again") return "its wait is tried again";
    const step = data.steps[what];
    return step.silent ? "begins" : step.text;
  };

  const moves = () => data.places[here].n || [];

  // A wait that is tried again never happened: the steps of its evaluation are struck out of what was chosen.
  const choose = (number) => {
    const move = moves()[number];
    if (!move) return;
    const [thread, kind, after, undone] = move;
    path.push({ move, before: here, after });
    if (kind === "again") {
      path.pop();
      let left = undone;
      const kept = path.filter((_, place) => {
        const taken = path.slice(place).filter((later) => later.move[0] === thread && later.move[1] === "run").length;
        return !(path[place].move[0] === thread && path[place].move[1] === "run" && taken <= left);
      });
      path = rewalked(kept) || path;
    }
    here = after;
    show();
  };

  const same = (one, other) => one[0] === other[0] && one[1] === other[1] &&
    (one[1] === "run" ? data.steps[one[3]].read === data.steps[other[3]].read : one[3] === other[3]);

  // The same moves from the beginning; nothing if the way leads through states that nobody has looked at.
  const rewalked = (steps) => {
    let at = 0;
    const found = [];
    for (const { move } of steps) {
      const next = (data.places[at].n || []).find((other) => same(other, move));
      if (!next) return null;
      found.push({ move: next, before: at, after: next[2] });
      at = next[2];
    }
    return found;
  };

  const goTo = (length) => {
    path = path.slice(0, length);
    here = path.length ? path[path.length - 1].after : 0;
    show();
  };

  // -- a way to a failure ------------------------------------------------------

  const bad = new Set(data.outcomes.flatMap(([, kind], number) => (kind === "bad" ? [number] : [])));
  const canFail = (place) => data.leads[data.places[place].l].some((outcome) => bad.has(outcome));

  const wayToFailure = () => {
    const from = new Map([[here, null]]);
    const waiting = [here];
    for (const place of waiting) {
      if (data.places[place].f) {
        const way = [];
        for (let at = place; from.get(at); at = from.get(at)[0]) way.unshift(from.get(at)[1]);
        return way;
      }
      (data.places[place].n || []).forEach(([, , after], number) => {
        if (canFail(after) && !from.has(after)) {
          from.set(after, [place, number]);
          waiting.push(after);
        }
      });
    }
    return [];
  };

  // -- the replay file -----------------------------------------------------------

  const traceFile = () => {
    const events = [];
    const schedule = [];
    const initial = {};
    const writer = new Map();
    const pending = data.threads.map(() => []);
    for (const { move, before, after } of path) {
      const [thread, kind, , what] = move;
      const name = data.threads[thread].name;
      if (kind === "commit") {
        const place = pending[thread].findIndex((event) => event.loc === what);
        const [{ event }] = pending[thread].splice(place, 1);
        event.committed = schedule.length;
        writer.set(what, event.id);
        schedule.push({ thread: name, commit: event.operation, event: event.id });
        continue;
      }
      const step = data.steps[what];
      const buffered = (data.places[after].b[thread] || []).length > (data.places[before].b[thread] || []).length;
      const own = pending[thread].filter((event) => event.loc === step.loc).pop();
      const source = own ? own.event.id : writer.get(step.loc);
      const event = {
        id: events.length, thread: name, index: events.filter((other) => other.thread === name).length, kind: step.kind,
        operation: step.operation, location: step.location, read: step.read, written: step.written,
        source: step.reads && source !== undefined ? source : null, executed: schedule.length,
        committed: step.written !== null && !buffered ? schedule.length : null, line: step.line,
      };
      if (step.loc >= 0) initial[step.location] = data.locations[step.loc][1];
      if (buffered) pending[thread].push({ loc: step.loc, event });
      else if (step.written !== null) writer.set(step.loc, event.id);
      events.push(event);
      schedule.push({ thread: name, run: step.operation, event: event.id });
    }
    const place = data.places[here];
    const part = data.threads.filter((thread, number) =>
      thread.declared || path.some(({ move }) => move[0] === number && move[1] === "run"));
    const ends = {};
    for (const thread of part) {
      const [, , how, detail] = data.locals[place.s[data.threads.indexOf(thread)]];
      ends[thread.name] = { how, detail };
    }
    let failure = null;
    if (place.f) {
      const { text, ...rest } = place.f;
      failure = rest;
    }
    const { schema, program, model } = data.trace;
    const threads = Object.fromEntries(part.map(({ name, title }) => [name, title]));
    return { schema, program, model, failure, threads, initial, schedule, events, ends };
  };

  const save = () => {
    const link = document.createElement("a");
    const text = `${JSON.stringify(traceFile(), null, 1)}\n`;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = data.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // -- what is seen ------------------------------------------------------------

  const LEADS = 3;
  const outcome = (number) => element("span", data.outcomes[number][1], data.outcomes[number][0]);

  const leads = (place) => {
    const found = data.leads[data.places[place].l];
    const sorted = [...found].sort((one, other) => bad.has(other) - bad.has(one));
    const box = element("span", "leads", ...sorted.slice(0, LEADS).map(outcome));
    if (sorted.length > LEADS) box.append(`and ${sorted.length - LEADS} more`);
    return box;
  };

  const showMoves = () => {
    const place = data.places[here];
    byId("moves").replaceChildren(...moves().map((move, number) => {
      const [thread, kind, after, what] = move;
      const line = kind === "run" ? placeText(data.steps[what].line) : "";
      const who = `${number < 9 ? `${number + 1}  ` : ""}${threadName(thread)}${line ? `, ${line}` : ""}`;
      const button = element("button", "", element("small", "", who), element("code", "", moveText(move)), leads(after));
      button.type = "button";
      button.addEventListener("click", () => choose(number));
      return element("li", kind, button);
    }));
    if (!place.n) byId("moves").append(`What follows was not explored. Save these steps, and run
      mcr explore again with --after ${data.file}.`);
    else if (!place.n.length) byId("moves").append("Nothing: this is the end.");
    byId("outcomes").replaceChildren(...data.leads[place.l].map((number) => element("li", "", outcome(number))));
    const [end] = data.leads[place.l];
    byId("verdict").className = place.f ? "failure" : "";
    byId("verdict").textContent = place.f ? place.f.text : place.n && !place.n.length ? data.outcomes[end][0] :
      canFail(here) ? "From here it can still fail." : "From here it cannot fail any more.";
    if (!place.f && !canFail(here) && data.leads[place.l].some((number) => data.outcomes[number][1] === "open"))
      byId("verdict").textContent = "No failure from here is known; not everything was explored.";
  };

  const showState = () => {
    const place = data.places[here];
    const before = path.length ? new Map(data.places[path[path.length - 1].before].m) : new Map(place.m);
    for (const line of document.querySelectorAll(".listing .now")) line.classList.remove("now");
    byId("threads").replaceChildren(...place.s.map((local, thread) => {
      const [text, line] = data.locals[local];
      const key = (line || "").replace(/:[^:]*$/, "");
      const buffer = (place.b[thread] || []).map(([location, value]) => store(location, value)).join(", ");
      const cell = element("td", "", text);
      const named = lines.get(key);
      if (named) {
        named.classList.add("now");
        cell.append(element("div", "", placeText(line)));
      }
      if (buffer) cell.append(element("div", "buffer", `buffer: ${buffer}`));
      return element("tr", "", element("th", "", threadName(thread)), cell);
    }));
    const memory = new Map(place.m);
    byId("memory").replaceChildren(...data.locations.flatMap(([name, initial], location) => {
      if (START.test(name)) return [];
      const value = memory.get(location);
      const row = element("tr", before.get(location) === value ? "" : "changed");
      const text = value === undefined ? initial : data.values[value];
      const shown = element("td", "", data.mutexes.includes(location) ? holder(text) : text);
      shown.title = shown.textContent;
      row.append(element("td", "", name), shown);
      return [row];
    }));
  };

  const showPath = () => {
    const row = (number, text, kind) => {
      const button = element("button", kind, element("span", "number", String(number)), text);
      button.type = "button";
      button.addEventListener("click", () => goTo(number));
      return element("li", number === path.length ? "now" : "", button);
    };
    byId("path").replaceChildren(row(0, "the beginning", ""), ...path.map(({ move }, place) =>
      row(place + 1, `${data.threads[move[0]].name}: ${moveText(move)}`, move[1])));
    byId("path").lastElementChild.scrollIntoView({ block: "nearest" });
  };

  const show = () => {
    showMoves();
    showState();
    showPath();
    byId("back").disabled = byId("restart").disabled = path.length === 0;
    byId("fail").disabled = !canFail(here) || Boolean(data.places[here].f);
  };

  byId("back").addEventListener("click", () => goTo(path.length - 1));
  byId("restart").addEventListener("click", () => goTo(0));
  byId("save").addEventListener("click", save);
  byId("fail").addEventListener("click", () => wayToFailure().forEach(choose));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
    else if (event.key === "Backspace" && path.length) goTo(path.length - 1);
    else if (event.key === "Home") goTo(0);
    else return;
    event.preventDefault();
  });
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  data.first.forEach(choose);
  show();
};

const given = document.getElementById("data");
if (given.type === "application/json") explore(JSON.parse(given.textContent));
else {
  // Many states are compressed (base64 of gzip).
  const bytes = Uint8Array.from(atob(given.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  new Response(unpacked).json().then(explore);
}
})();
