"use strict";
// Without this script everything is shown; with it, findings can be filtered.
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const findings = [...document.querySelectorAll("article.finding")];
  const texts = new Map(findings.map((one) => [one, one.textContent.toLowerCase()]));
  const sections = [...document.querySelectorAll("section.file")];
  const apply = () => {
    const levels = new Set([...form.querySelectorAll("input[name=level]:checked")].map((box) => box.value));
    const rule = form.elements.rule.value;
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of findings) {
      const fits = levels.has(one.dataset.level) && (!rule || one.dataset.rule === rule)
        && words.every((word) => texts.get(one).includes(word));
      one.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const section of sections) {
      section.hidden = !section.querySelector("article.finding:not([hidden])");
      const entry = document.querySelector(`nav a[href="#${section.id}"]`);
      if (entry) entry.parentElement.hidden = section.hidden;
    }
    form.elements.count.value = `${shown} of ${findings.length} findings shown`;
    document.getElementById("none").hidden = shown > 0;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  // The key that searches on most pages; not while somebody types.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    form.elements.text.focus();
  });
  const details = () => document.querySelectorAll("details");
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...details()].filter((one) => !one.open);
    closed.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((one) => { one.open = false; }));
  form.hidden = false;
  apply();
})();
