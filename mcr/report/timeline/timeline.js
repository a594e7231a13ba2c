"use strict";
// Moves the mark between moments and draws the arrows; everything that is shown was computed by mcr.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const board = document.querySelector(".board");
  const rows = [...document.querySelectorAll(".wrap tbody tr")];
  const lines = new Map([...document.querySelectorAll("[data-line]")].map((line) => [line.dataset.line, line]));
  const svg = document.querySelector(".arrows");
  const boxes = [...document.querySelectorAll("fieldset input")];
  const last = data.moments.length - 1;
  const PACE = 900;
  let now = last;
  let timer = 0;

  // -- arrows --------------------------------------------------------------

  const draw = (tag, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    parent.append(node);
    return node;
  };

  const heads = () => {
    const defs = draw("defs", {}, svg);
    for (const relation of ["rf", "co", "fr", "ppo", "cycle"]) {
      const marker = draw("marker", { id: `head-${relation}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
        markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, defs);
      draw("path", { d: "M0 0L8 4L0 8z", style: `fill:var(--${relation})` }, marker);
    }
  };

  // The box of what happens at a place, relative to the table; a moment may concern several threads.
  const box = (place) => {
    const chip = rows[place].querySelector(".chip");
    const cell = chip.closest("td");
    const left = cell.offsetLeft + chip.offsetLeft - (chip.offsetParent === cell ? 0 : cell.offsetLeft);
    return { left, right: left + chip.offsetWidth, y: rows[place].offsetTop + rows[place].offsetHeight / 2,
      wide: cell.colSpan > 1 };
  };

  const curve = (from, to, rank) => {
    if (from.wide !== to.wide) { // to or from a row across all threads: straight down beside the other end
      const x = (from.wide ? to : from).left - 5 + rank * 2;
      return `M${x} ${from.y + 11}L${x} ${to.y - 12}`;
    }
    if (from.right < to.left || to.right < from.left) {
      const on = from.right < to.left;
      const [x, end] = on ? [from.right, to.left] : [from.left, to.right];
      const bend = Math.max(24, Math.abs(end - x) / 2) * (on ? 1 : -1);
      return `M${x} ${from.y}C${x + bend} ${from.y} ${end - bend} ${to.y} ${end} ${to.y}`;
    }
    const out = Math.max(from.right, to.right) + 18 + rank * 6 + Math.min(30, Math.abs(to.y - from.y) / 12);
    return `M${from.right} ${from.y}C${out} ${from.y} ${out} ${to.y} ${to.right + 1} ${to.y}`;
  };

  const RANKS = ["rf", "co", "fr", "ppo", "cycle"];

  const drawArrows = () => {
    svg.replaceChildren();
    heads();
    for (const [thread, from, to, lane] of data.delays) {
      const cell = rows[from].querySelector(".op");
      const x = cell.offsetLeft + 7 + lane * 7;
      const end = to === null ? rows[rows.length - 1] : rows[to];
      const top = rows[from].offsetTop + rows[from].offsetHeight / 2;
      const bottom = end.offsetTop + (to === null ? end.offsetHeight : end.offsetHeight / 2);
      draw("path", { d: `M${x} ${top}L${x} ${bottom}`, class: "delay", "data-thread": thread, "data-from": from,
        "data-to": to === null ? last : to }, svg);
    }
    for (const [relation, from, to] of data.arrows) {
      draw("path", { d: curve(box(from), box(to), RANKS.indexOf(relation)), class: relation + (from === 0 ? " initial" : ""),
        "data-from": from, "data-to": to, "marker-end": `url(#head-${relation})` }, svg);
    }
    show();
  };

  const show = () => {
    const shown = new Set(boxes.filter((each) => each.checked).map((each) => each.name));
    for (const path of svg.querySelectorAll("[data-from]")) {
      const relation = path.classList[0];
      const from = Number(path.dataset.from);
      const to = Number(path.dataset.to);
      path.style.display = shown.has(relation) ? "" : "none";
      path.classList.toggle("near", relation !== "delay" && (from === now || to === now));
      path.classList.toggle("later", relation === "delay" ? from > now : Math.max(from, to) > now);
    }
  };

  // -- the current moment ----------------------------------------------------

  const element = (tag, text, name = "") => {
    const node = document.createElement(tag);
    node.textContent = text;
    node.title = name === "empty" ? "" : text;
    node.className = name;
    return node;
  };

  const showState = () => {
    const moment = data.moments[now];
    const before = new Map((data.moments[now - 1] || moment).memory);
    byId("what").textContent = moment.title;
    byId("details").replaceChildren(...moment.details.map((text) => element("li", text)));
    byId("memory").replaceChildren(...moment.memory.map(([name, value]) => {
      const row = element("tr", "", before.get(name) === value ? "" : "changed");
      row.append(element("td", name), element("td", value));
      return row;
    }));
    byId("queues").replaceChildren(...moment.buffers.flatMap(([name, stores]) => {
      const queue = document.createElement("dd");
      queue.append(...(stores.length ? stores.map((store) => element("span", store)) : [element("span", "empty", "empty")]));
      return [element("dt", name), queue];
    }));
  };

  const keepVisible = (node, within, margin) => {
    const inner = node.getBoundingClientRect();
    const outer = within.getBoundingClientRect();
    if (inner.top < outer.top + margin) within.scrollTop += inner.top - outer.top - margin;
    else if (inner.bottom > outer.bottom - margin) within.scrollTop += inner.bottom - outer.bottom + margin;
  };

  const showLine = () => {
    for (const line of document.querySelectorAll(".listing .now")) line.classList.remove("now", "bad");
    const line = lines.get(data.moments[now].line);
    if (!line) return;
    line.classList.add("now");
    line.classList.toggle("bad", data.moments[now].fails);
    keepVisible(line, line.closest(".source"), 40);
  };

  const go = (place) => {
    now = Math.min(Math.max(place, 0), last);
    rows.forEach((row, number) => {
      row.classList.toggle("now", number === now);
      row.classList.toggle("later", number > now);
      if (number === now) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    byId("slider").value = now;
    byId("slider").setAttribute("aria-valuetext", data.moments[now].title);
    byId("count").textContent = `${now} of ${last}`;
    byId("first").disabled = byId("back").disabled = now === 0;
    byId("next").disabled = byId("last").disabled = now === last;
    showState();
    showLine();
    show();
    keepVisible(rows[now], board, 48);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    byId("play").textContent = "▶ play";
    byId("play").setAttribute("aria-label", "Play");
  };

  const play = () => {
    if (timer) return stop();
    if (now === last) go(0);
    byId("play").textContent = "❚❚ pause";
    byId("play").setAttribute("aria-label", "Pause");
    timer = setInterval(() => {
      go(now + 1);
      if (now === last) stop();
    }, PACE);
  };

  // -- what the reader does ----------------------------------------------------

  const move = (place) => { stop(); go(place); };
  byId("first").addEventListener("click", () => move(0));
  byId("back").addEventListener("click", () => move(now - 1));
  byId("next").addEventListener("click", () => move(now + 1));
  byId("last").addEventListener("click", () => move(last));
  byId("play").addEventListener("click", play);
  byId("slider").addEventListener("input", (event) => move(Number(event.target.value)));
  for (const each of boxes) each.addEventListener("change", show);
  rows.forEach((row, number) => row.addEventListener("click", () => move(number)));

  const KEYS = { ArrowLeft: () => move(now - 1), ArrowRight: () => move(now + 1), Home: () => move(0), End: () => move(last) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !event.target.closest("button, input")) play();
    else if (KEYS[event.key] && event.target.id !== "slider") KEYS[event.key]();
    else return;
    event.preventDefault();
  });

  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  document.querySelector(".controls").hidden = false;
  document.querySelector("aside").hidden = false;
  if (rows.length > data.sheet) board.classList.add("long");
  addEventListener("resize", drawArrows);
  drawArrows();
  go(last);
})();
