// SPDX-License-Identifier: Apache-2.0
"use strict";

// On a narrow screen, the menu is behind a button.
const button = document.getElementById("menu-button");
button.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu-open");
  button.setAttribute("aria-expanded", open);
});

// Each block of commands or of a manifest can be copied. Of a terminal session, only the commands are copied.
for (const block of document.querySelectorAll("main .highlight pre, main .terminal")) {
  const copy = document.createElement("button");
  copy.className = "copy";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    const text = block.textContent;
    const commands = text.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    await navigator.clipboard.writeText(commands.length ? commands.join("\n") + "\n" : text);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  });
  const frame = document.createElement("div");
  frame.className = "frame";
  block.replaceWith(frame);
  frame.append(block, copy);
}

// The search finds the sections that have all words. The index is loaded when the search is first used.
const search = document.getElementById("search");
const input = search.querySelector("input");
const results = search.querySelector("ol");
const root = new URL(".", document.currentScript.src);
let sections;

function searchIndex(loaded) { // called by the index
  sections = loaded;
  show();
}

input.addEventListener("focus", () => {
  const script = document.createElement("script");
  script.src = new URL("search.js", root);
  document.head.append(script);
}, { once: true });

// How well a section fits: words in titles count more. 0 if one is missing.
function fit(section, words) {
  let sum = 0;
  for (const word of words) {
    const found = [[section.heading, 9], [section.page, 5], [section.words, 1]]
      .filter(([text]) => text.toLowerCase().includes(word));
    if (found.length === 0) return 0;
    sum += found.reduce((total, [, worth]) => total + worth, 0);
  }
  return sum;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0 || !sections;
  if (results.hidden) return;
  const found = sections.map((section) => ({ section, fit: fit(section, words) })).filter((one) => one.fit > 0);
  found.sort((a, b) => b.fit - a.fit);
  results.replaceChildren(...found.slice(0, 12).map(({ section }) => line(section, words[0])));
  if (found.length === 0) results.textContent = "Nothing has these words.";
}

function line(section, word) {
  const link = document.createElement("a");
  link.href = new URL(section.address, root);
  const title = document.createElement("b");
  title.textContent = section.heading ? `${section.page}: ${section.heading}` : section.page;
  const at = Math.max(0, section.words.toLowerCase().indexOf(word) - 40);
  link.append(title, document.createElement("br"), section.words.slice(at, at + 120));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

input.addEventListener("input", show);
search.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") results.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) results.hidden = true;
});
