// Renders every Mermaid diagram of the Markdown pages that are named, with Mermaid itself.
//
// For maintainers: Mermaid wants a browser. jsdom is one without layout, so texts are measured by
// their length here; whether a diagram parses and renders does not depend on how wide they are.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!DOCTYPE html><body></body>", { pretendToBeVisual: true });
Object.assign(globalThis, { window, document: window.document });
for (const name of ["CSSStyleSheet", "Element", "HTMLElement", "SVGElement", "Node", "DOMParser", "XMLSerializer"]) {
  globalThis[name] ??= window[name];
}
const box = function () {
  const width = 8 * (this.textContent ?? "").length;
  return { x: 0, y: 0, width, height: 16, top: 0, left: 0, right: width, bottom: 16 };
};
window.SVGElement.prototype.getBBox = box;
window.SVGElement.prototype.getComputedTextLength = function () {
  return box.call(this).width;
};

const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false, htmlLabels: false });

const squeezed = (text) => text.replace(/\s/g, "");

let diagrams = 0;
let faults = 0;
for (const page of process.argv.slice(2)) {
  const text = readFileSync(page, "utf8");
  for (const [, source] of text.matchAll(/^```mermaid\n(.*?)^```$/gms)) {
    diagrams += 1;
    try {
      await mermaid.parse(source);
      const { svg } = await mermaid.render(`diagram${diagrams}`, source);
      const labels = [...source.matchAll(/\[?"([^"]+)"\]?/g)].map((match) => match[1]);
      const shown = new JSDOM(svg).window.document.body.textContent;
      const lost = labels.filter((label) => !squeezed(shown).includes(squeezed(label)));
      if (lost.length) throw new Error(`the drawing lacks ${lost.join(", ")}`);
    } catch (error) {
      faults += 1;
      console.error(`${page}: diagram ${diagrams}: ${error.message}`);
    }
  }
}
console.log(`${diagrams} diagrams rendered, ${faults} of them with faults`);
process.exit(faults || !diagrams ? 1 : 0);
