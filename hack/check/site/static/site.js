// SPDX-License-Identifier: Apache-2.0
"use strict";

// On a narrow screen, the menu is behind a button.
const button = document.getElementById("menu-button");
button.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu-open");
  button.setAttribute("aria-expanded", open);
});

// What a reader copies of a block: of a terminal session the commands, of commands or a manifest everything, of output
// nothing.
function copied(block) {
  const commands = block.textContent.match(/^\$ (?:.*\\\n)*.*/gm);
  if (commands) return commands.map((command) => command.slice(2) + "\n").join("");
  const code = block.querySelector('[class^="language-"]:not(.language-text)');
  return code ? code.textContent : "";
}

for (const block of document.querySelectorAll("main pre:not(.terminal)")) {
  const text = copied(block);
  if (!text) continue;
  const copy = document.createElement("button");
  copy.className = "copy";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
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
