"use strict";
// Goes from state to state on a graph that mcr has computed, and writes down what was chosen as a replay file.
(() => {
const explore = (data) => {
  const byId = (id) => document.getElementById(id);
  const lines = new Map([...document.querySelectorAll("[data-line]")].map((line) => [line.dataset.line, line]));
  const START = /^(start|end) of thread /;
  let path = []; // of what was chosen: {move, before, after}, the last two as states
  const beginning = { place: 0, locals: data.begin, memory: new Map(data.memory) };
  let here = beginning;

  // Where the moves of each place begin in the graph: how many, and for each its number and what it leads to.
  const rows = new Int32Array(data.leads.length);
  const leadsTo = new Int32Array(data.graph.length);
  for (let place = 0, at = 0, named = 1; place < rows.length; place++) {
    rows[place] = at;
    for (let left = data.graph[at++]; left > 0; left--, at += 2) {
      leadsTo[at + 1] = named - data.graph[at + 1];
      named = Math.max(named, leadsTo[at + 1] + 1);
    }
  }

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

  const moveText = ([, kind, , , what, value]) => {
    if (kind === "commit") return `${store(what, value)} reaches memory`;
    if (kind === "again") return "its wait is tried again";
    const step = data.steps[what];
    return step.silent ? "begins" : step.text;
  };

  const isExplored = (place) => data.graph[rows[place]] >= 0;
  const leadsOf = (place) => data.sets[data.leads[place]];

  // The places that the moves at a place lead to.
  const following = (place) => {
    const found = [];
    for (let n = 0; n < data.graph[rows[place]]; n++) found.push(leadsTo[rows[place] + 2 + 2 * n]);
    return found;
  };

  const movesAt = (place) => following(place).map((_, n) => data.moves[data.graph[rows[place] + 1 + 2 * n]]);

  const moved = (state, number) => {
    const [thread, , local, writes] = movesAt(state.place)[number];
    const locals = [...state.locals];
    const memory = new Map(state.memory);
    locals[thread] = local;
    for (const [location, value] of writes) {
      if (value < 0) memory.delete(location);
      else memory.set(location, value);
    }
    return { place: following(state.place)[number], locals, memory };
  };

  // A wait that is tried again never happened: the steps of its evaluation are struck out of what was chosen.
  const choose = (number) => {
    const move = movesAt(here.place)[number];
    if (!move) return;
    const [thread, kind, , , undone] = move;
    const after = moved(here, number);
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
    (one[1] === "run" ? data.steps[one[4]].read === data.steps[other[4]].read : one[4] === other[4]);

  // The same moves from the beginning; nothing if the way leads through states that nobody has looked at.
  const rewalked = (steps) => {
    let before = beginning;
    const found = [];
    for (const { move } of steps) {
      const moves = movesAt(before.place);
      const number = moves.findIndex((other) => same(other, move));
      if (number < 0) return null;
      const after = moved(before, number);
      found.push({ move: moves[number], before, after });
      before = after;
    }
    return found;
  };

  const goTo = (length) => {
    path = path.slice(0, length);
    here = path.length ? path[path.length - 1].after : beginning;
    show();
  };

  // -- a way to a failure ------------------------------------------------------

  const bad = new Set(data.outcomes.flatMap(([, kind], number) => (kind === "bad" ? [number] : [])));
  const canFail = (place) => leadsOf(place).some((outcome) => bad.has(outcome));

  const wayToFailure = () => {
    const from = new Map([[here.place, null]]);
    const waiting = [here.place];
    for (const place of waiting) {
      if (data.failures[place]) {
        const way = [];
        for (let at = place; from.get(at); at = from.get(at)[0]) way.unshift(from.get(at)[1]);
        return way;
      }
      following(place).forEach((after, number) => {
        if (canFail(after) && !from.has(after)) {
          from.set(after, [place, number]);
          waiting.push(after);
        }
      });
    }
    return [];
  };

  // -- the replay file -----------------------------------------------------------

  const bufferOf = (state, thread) => data.locals[state.locals[thread]][1];
  const requestOf = (state, thread) => data.requests[data.locals[state.locals[thread]][0]];

  const traceFile = () => {
    const events = [];
    const schedule = [];
    const initial = {};
    const writer = new Map();
    const pending = data.threads.map(() => []);
    for (const { move, before, after } of path) {
      const [thread, kind, , , what] = move;
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
      const buffered = bufferOf(after, thread).length > bufferOf(before, thread).length;
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
    const part = data.threads.filter((thread, number) =>
      thread.declared || path.some(({ move }) => move[0] === number && move[1] === "run"));
    const ends = {};
    for (const thread of part) {
      const [, , how, detail] = requestOf(here, data.threads.indexOf(thread));
      ends[thread.name] = { how, detail };
    }
    let failure = null;
    if (data.failures[here.place]) {
      const { text, ...rest } = data.failures[here.place];
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
    const sorted = [...leadsOf(place)].sort((one, other) => bad.has(other) - bad.has(one));
    const box = element("span", "leads", ...sorted.slice(0, LEADS).map(outcome));
    if (sorted.length > LEADS) box.append(`and ${sorted.length - LEADS} more`);
    return box;
  };

  const showMoves = () => {
    const { place } = here;
    const moves = movesAt(place);
    const after = following(place);
    const failure = data.failures[place];
    byId("moves").replaceChildren(...moves.map((move, number) => {
      const [thread, kind, , , what] = move;
      const line = kind === "run" ? placeText(data.steps[what].line) : "";
      const who = `${number < 9 ? `${number + 1}  ` : ""}${threadName(thread)}${line ? `, ${line}` : ""}`;
      const button = element("button", "", element("small", "", who), element("code", "", moveText(move)), leads(after[number]));
      button.type = "button";
      button.addEventListener("click", () => choose(number));
      return element("li", kind, button);
    }));
    if (!isExplored(place)) byId("moves").append(`What follows was not explored. Save these steps, and run
      mcr explore again with --after ${data.file}.`);
    else if (!moves.length) byId("moves").append("Nothing: this is the end.");
    byId("outcomes").replaceChildren(...leadsOf(place).map((number) => element("li", "", outcome(number))));
    const [end] = leadsOf(place);
    byId("verdict").className = failure ? "failure" : "";
    byId("verdict").textContent = failure ? failure.text : isExplored(place) && !moves.length ? data.outcomes[end][0] :
      canFail(place) ? "From here it can still fail." : "From here it cannot fail any more.";
    if (!failure && !canFail(place) && leadsOf(place).some((number) => data.outcomes[number][1] === "open"))
      byId("verdict").textContent = "No failure from here is known; not everything was explored.";
  };

  const showState = () => {
    const before = path.length ? path[path.length - 1].before.memory : here.memory;
    for (const line of document.querySelectorAll(".listing .now")) line.classList.remove("now");
    byId("threads").replaceChildren(...here.locals.map((_, thread) => {
      const [text, line] = requestOf(here, thread);
      const key = (line || "").replace(/:[^:]*$/, "");
      const buffer = bufferOf(here, thread).map(([location, value]) => store(location, value)).join(", ");
      const cell = element("td", "", text);
      const named = lines.get(key);
      if (named) {
        named.classList.add("now");
        cell.append(element("div", "", placeText(line)));
      }
      if (buffer) cell.append(element("div", "buffer", `buffer: ${buffer}`));
      return element("tr", "", element("th", "", threadName(thread)), cell);
    }));
    byId("memory").replaceChildren(...data.locations.flatMap(([name, initial], location) => {
      if (START.test(name)) return [];
      const value = here.memory.get(location);
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
    byId("fail").disabled = !canFail(here.place) || Boolean(data.failures[here.place]);
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
